import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { freePort } from '../../bin/local/free-port.ts';
import { startPostgres } from '../../bin/local/postgres.ts';
import { connect } from '../../functions/database/connection.ts';
import { migrate, readMigrations } from '../../functions/database/migrate.ts';
import type { BenchDatabase } from './part.ts';

export interface Server {
  /** `PostgreSQL 18.x` and the settings that were changed. */
  readonly description: string;
  newDatabase(name: string): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

/** More memory and longer between checkpoints, as a database server has; what makes a commit durable stays as it comes. */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
};

/** A PostgreSQL with durability on. Each part of the benchmark gets databases of its own. */
export async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'clink-bench-'));
  const server = await startPostgres({ folder, port: await freePort(), settings: SETTINGS });
  const admin = postgres(server.url('postgres'), { max: 1, onnotice: () => undefined });
  const [row] = await admin`
    SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
           current_setting('synchronous_commit') AS commit`;
  return {
    description: `PostgreSQL ${row?.version}, fsync ${row?.fsync}, synchronous_commit ${row?.commit}`,
    async newDatabase(name) {
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.unsafe(`CREATE DATABASE ${name}`);
      const ownerUrl = server.url(name);
      const owner = connect({ url: ownerUrl, max: 1 });
      await migrate(owner, await readMigrations(join(import.meta.dirname, '../../migrations')));
      await owner.end();
      await admin`ALTER ROLE payments_app PASSWORD 'payments_app'`;
      const appUrl = Object.assign(new URL(ownerUrl), { username: 'payments_app', password: 'payments_app' }).href;
      return {
        ownerUrl,
        appUrl,
        drop: async () => void (await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
      };
    },
    async stop() {
      await admin.end({ timeout: 1 });
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
