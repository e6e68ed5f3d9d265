import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCK_FILE } from './instance-lock.ts';
import type { LocalSettings } from './local-settings.ts';
import { removeCluster } from './postgres.ts';
import { clusterFolder } from './start-database.ts';

/** Deletes what earlier runs have left in the folder, except for the lock that this run holds. */
export async function resetFolder(settings: LocalSettings): Promise<void> {
  if (settings.databaseUrl === null) await removeCluster(clusterFolder(settings));
  const names = (await readdir(settings.folder)).filter((name) => !name.startsWith(LOCK_FILE));
  await Promise.all(names.map((name) => rm(join(settings.folder, name), { recursive: true, force: true })));
}
