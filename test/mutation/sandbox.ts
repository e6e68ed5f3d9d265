import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const systemFolder = tmpdir();

/**
 * Runs something with a temporary folder of its own. Nothing is left of it, also when the run is interrupted: neither the
 * folder nor the databases in it, which a runner that is ended for its timeout leaves behind.
 */
export async function inSandbox<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(systemFolder, 'mutation-'));
  const clear = (): void => removeWithDatabases(folder);
  process.once('exit', clear);
  try {
    // The databases run as another user.
    await chmod(folder, 0o755);
    process.env.TMPDIR = folder;
    return await run(folder);
  } finally {
    process.off('exit', clear);
    clear();
  }
}

/** Without waiting for anything, for a process that ends cannot. */
function removeWithDatabases(folder: string): void {
  for (const file of globSync(join(folder, '*/data/postmaster.pid'))) stopDatabase(file);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function stopDatabase(pidFile: string): void {
  const [pid] = readFileSync(pidFile, 'utf8').split('\n');
  try {
    process.kill(Number(pid), 'SIGQUIT');
  } catch {
    // It has ended by itself.
  }
}
