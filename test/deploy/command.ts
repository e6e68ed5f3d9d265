import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

interface Options {
  /** Gets whatever the command prints. */
  readonly logFile: string;
  /** Added to PATH, which finds our own Node before the system's, and HOME. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a command that ends, with all that it starts, when its standard input does: at the latest when we end. */
export async function start(command: string, args: readonly string[], options: Options): Promise<ChildProcess> {
  const log = await open(options.logFile, 'w');
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'keeper.ts'), command, ...args], {
    cwd: ROOT,
    stdio: ['pipe', log.fd, log.fd],
    env: { PATH, HOME: process.env.HOME, ...options.env },
  });
  await log.close();
  return child;
}

/** Runs a command to its end. Throws with the last lines of what it printed when it fails. */
export async function run(command: string, args: readonly string[], options: Options): Promise<void> {
  const child = await start(command, args, options);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === 0) return;
  const lines = (await readFile(options.logFile, 'utf8')).trimEnd().split('\n');
  throw new Error(`${command} ${args[0]} failed with ${code}:\n${lines.slice(-40).join('\n')}`);
}
