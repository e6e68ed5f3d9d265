import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from './problem.ts';

const LOCK_FILE = 'lock.sqlite';

/**
 * Makes this the only stack on the folder until it is released. The lock is the operating system's, held through an open
 * SQLite file, so it ends with the process however that ends; an id in a file could name a stranger after a reboot.
 */
export function lockFolder(folder: string): { release(): void } {
  const database = new DatabaseSync(join(folder, LOCK_FILE), { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    throw new Problem(`another npm start runs on ${folder}: stop it first, or set LOCAL_FOLDER to another folder`);
  }
  return { release: () => database.close() };
}
