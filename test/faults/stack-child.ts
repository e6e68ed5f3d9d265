import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { readStackFile, type Stack } from '../../bin/local/stack-file.ts';
import { eventually } from '../local/eventually.ts';

const START = join(import.meta.dirname, '../../bin/local/start.ts');
const PRELOAD = join(import.meta.dirname, 'stack-preload.ts');

export interface StackChild {
  readonly stack: Stack;
  readonly process: ChildProcess;
  /** Ends it with SIGKILL, and waits until it has gone. */
  kill(): Promise<void>;
}

/** `npm start` on the folder, in a process of its own whose clock is wrong by `skewMs`. Its output goes to `stack.log`. */
export async function startStackChild(
  folder: string,
  env: Readonly<Record<string, string>>,
  skewMs: number,
): Promise<StackChild> {
  const log = openSync(join(folder, 'stack.log'), 'a');
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', PRELOAD, START, '--free-ports'], {
    env: { PATH, HOME, LOCAL_FOLDER: folder, CLOCK_SKEW_MS: String(skewMs), ...env },
    stdio: ['ignore', log, log],
  });
  const gone = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const found = await eventually('a running stack', async () => {
    if (hasEnded()) return 'ended';
    const stack = await readStackFile(folder);
    return stack?.pid === child.pid && stack;
  });
  if (found === 'ended') throw new Error('the stack ended while it started');
  return {
    stack: found,
    process: child,
    async kill() {
      if (hasEnded()) return;
      child.kill('SIGKILL');
      await gone;
    },
  };
}
