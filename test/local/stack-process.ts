import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeCluster } from '../../bin/local/postgres.ts';
import { readStackFile, type Stack } from '../../bin/local/stack-file.ts';
import { eventually } from './eventually.ts';

const START = join(import.meta.dirname, '../../bin/local/start.ts');
const SEND_EVENT = join(import.meta.dirname, '../../bin/local/send-event.ts');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StackProcess {
  readonly stack: Stack;
  /** Everything that was printed so far. */
  output(): string;
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** A data folder of the test's own, gone when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clink-stack-'));
  onTestFinished(async () => {
    await removeCluster(join(folder, 'postgres'));
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A running stack that is gone when the test ends. */
export async function startStackProcess(
  folder: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<StackProcess> {
  const running = await openStackProcess(folder, env, flags);
  onTestFinished(async () => void (await running.end('SIGKILL')));
  return running;
}

/** Starts `npm start`'s program on free ports and waits until it is ready. */
export async function openStackProcess(
  folder: string,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<StackProcess> {
  const child = run(START, folder, env, ['--free-ports', ...flags]);
  let early: Ended | null = null;
  const watching = child.ended.then((ended) => {
    early = ended;
  });
  const stack = await eventually('a running stack', async () => {
    if (early !== null) return { stderr: early.stderr };
    const found = await readStackFile(folder);
    return found !== null && found.pid === child.process.pid && { found };
  });
  if (!('found' in stack)) throw new Error(`the stack did not start: ${stack.stderr}`);
  return {
    stack: stack.found,
    output: child.output,
    async end(signal) {
      child.process.kill(signal);
      await watching;
      return child.ended;
    },
  };
}

/** Runs `npm start`'s program to its end. */
export function failToStart(folder: string, env: Record<string, string> = {}): Promise<Ended> {
  return run(START, folder, env, ['--free-ports']).ended;
}

export function sendEvent(folder: string, ...args: string[]): Promise<Ended> {
  return run(SEND_EVENT, folder, {}, args).ended;
}

interface Child {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<Ended>;
}

function run(program: string, folder: string, env: Record<string, string>, args: readonly string[]): Child {
  // Nothing of this shell may lead the stack elsewhere; log lines are what some tests are about.
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, ...args], { env: { PATH, HOME, LOCAL_FOLDER: folder, ...env } });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return { process: child, output: () => text.stdout + text.stderr, ended };
}
