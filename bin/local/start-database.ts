import { join } from 'node:path';
import { freePort } from './free-port.ts';
import type { LocalSettings } from './local-settings.ts';
import type { Ports } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { prepareDatabase } from './prepare-database.ts';
import { Problem } from './problem.ts';

export interface LocalDatabase {
  readonly ownerUrl: string;
  /** As the role that the functions have. */
  readonly appUrl: string;
}

export function clusterFolder({ folder }: LocalSettings): string {
  return join(folder, 'postgres');
}

/** PostgreSQL, our own or the one that was given, migrated and with something to sell. */
export async function startDatabase(
  settings: LocalSettings,
  ports: Ports,
  teardown: AsyncDisposableStack,
  password: string,
): Promise<LocalDatabase> {
  const { databaseUrl } = settings;
  if (databaseUrl !== null) {
    const appUrl = await prepareDatabase(databaseUrl, password, false).catch(explain);
    return { ownerUrl: databaseUrl, appUrl };
  }
  const { url: ownerUrl } = await ports.start('database', async (port) => {
    const server = await startPostgres({
      folder: clusterFolder(settings),
      port: port === 0 ? await freePort() : port,
      settings: { max_connections: '200' },
    });
    teardown.defer(() => server.stop());
    return { url: server.url('postgres') };
  });
  return { ownerUrl, appUrl: await prepareDatabase(ownerUrl, password, true).catch(adviseReset) };
}

function adviseReset(error: unknown): never {
  const { message } = Object(error) as { message?: unknown };
  throw new Problem(`${String(message)}: "npm start -- --reset" starts anew, without the data of earlier runs`);
}

/** PostgreSQL's own message helps most, and it never holds the password. */
function explain(error: unknown): never {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const reason = String(message || code || error);
  throw new Problem(
    `DATABASE_URL cannot be used: ${reason}; it must be a PostgreSQL 15 or newer whose user may migrate and make roles, or be unset`,
  );
}
