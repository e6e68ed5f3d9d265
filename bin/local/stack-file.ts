import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every address and key of the running stack, for scripts and tests. */
export interface Stack {
  readonly shopUrl: string;
  /** Serves `/api/...`. */
  readonly apiUrl: string;
  /** The Clink double; of the real Clink, its API. */
  readonly clinkUrl: string;
  /** May read and write everything. */
  readonly databaseUrl: string;
  /** SQS, and Secrets Manager where `secretsManagerUrl` is the same. */
  readonly awsEndpointUrl: string;
  readonly secretsManagerUrl: string;
  readonly region: string;
  readonly wakeUpQueueUrl: string;
  readonly clinkSecretKey: string;
  readonly webhookSigningKey: string;
  readonly customers: readonly { readonly id: string; readonly email: string; readonly token: string }[];
  readonly pid: number;
}

/** Readable by its owner only, and never half written. */
export async function writeStackFile(folder: string, stack: Stack): Promise<void> {
  const file = join(folder, 'stack.json');
  await writeFile(`${file}.new`, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Null when no stack runs on this folder. */
export async function readStackFile(folder: string): Promise<Stack | null> {
  const text = await readFile(join(folder, 'stack.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Stack);
}

/** Synchronous, for the last moment of a process. */
export function removeStackFile(folder: string): void {
  rmSync(join(folder, 'stack.json'), { force: true });
}
