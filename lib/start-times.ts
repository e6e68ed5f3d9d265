import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A module for Node to run in a process of its own. */
export interface Start {
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Enough for every function to load. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  DATABASE_HOST: 'database.example',
  DATABASE_NAME: 'payments',
  DATABASE_USER: 'payments_app',
  CLINK_API_URL: 'https://clink.example/api',
  CLINK_API_KEY_SECRET_ID: 'api-key',
  CLINK_WEBHOOK_SECRET_ID: 'webhook',
  MERCHANT_URL: 'https://shop.example/clink',
  MERCHANT_SIGNING_SECRET_ID: 'merchant',
  SHOP_SUCCESS_URL: 'https://shop.example/thanks',
  SHOP_CANCEL_URL: 'https://shop.example/basket',
  WAKE_UP_QUEUE_URL: 'https://sqs.example/wake-ups',
};

/** A process that ends once it has imported this file. */
export function importOf(address: string): Start {
  return { script: `await import('${address}'); process.exit(0)`, environment: ENVIRONMENT };
}

export const ROUNDS = 15;

/**
 * Milliseconds from the start of a process to its end, beyond those of a process that does nothing and is started next to
 * it: the median over the rounds, in each of which every script has its turn. A script must end its process.
 */
export async function beyondEmptyMs<Name extends string>(
  starts: Readonly<Record<Name, () => Promise<Start>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(starts) as Name[];
  const differences = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const start = await starts[name]();
      const nothing = await runMs({ script: 'process.exit(0)' });
      differences.get(name)?.push((await runMs(start)) - nothing);
    }
  }
  const medians = names.map((name) => [name, median(differences.get(name) ?? [])]);
  return Object.fromEntries(medians) as Record<Name, number>;
}

async function runMs({ script, environment }: Start): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(Buffer.concat(said).toString());
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
