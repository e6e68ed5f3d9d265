import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run } from './command.ts';

/** The emulator's executable: the one that MINISTACK names, else one that is installed under `.local/` on first use. */
export async function findMinistack(): Promise<string> {
  if (process.env.MINISTACK) return process.env.MINISTACK;
  const folder = join(ROOT, '.local/ministack');
  const executable = join(folder, 'bin/ministack');
  const isThere = await access(executable).then(
    () => true,
    () => false,
  );
  if (isThere) return executable;
  await mkdir(folder, { recursive: true });
  const logFile = join(folder, 'install.log');
  await run('python3', ['-m', 'venv', folder], { logFile });
  const requirements = join(import.meta.dirname, 'requirements.txt');
  await run(join(folder, 'bin/pip'), ['install', '--no-deps', '-r', requirements], { logFile, env: pipSettings() });
  return executable;
}

/** Where packages come from is this machine's business. */
function pipSettings(): Record<string, string> {
  const isPips = ([name, value]: [string, string | undefined]) =>
    value !== undefined && /^(pip|https?_proxy)/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(isPips)) as Record<string, string>;
}
