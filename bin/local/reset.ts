import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalSettings } from './local-settings.ts';
import { removeCluster } from './postgres.ts';
import { clusterFolder } from './start-database.ts';

/** What runs leave in their folder, besides the database and the lock. People keep other things there. */
const OURS = /^(clink|merchant)\.sqlite|^(keys|ports|stack)\.json/;

/** Deletes what earlier runs have left in the folder. Nothing may run on it. */
export async function resetFolder(settings: LocalSettings): Promise<void> {
  if (settings.databaseUrl === null) await removeCluster(clusterFolder(settings));
  const names = (await readdir(settings.folder)).filter((name) => OURS.test(name));
  await Promise.all(names.map((name) => rm(join(settings.folder, name), { force: true })));
}
