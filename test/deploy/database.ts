import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import postgres from 'postgres';
import { freePort } from '../../bin/local/free-port.ts';
import { removeCluster, startPostgres } from '../../bin/local/postgres.ts';
import { connect, type Sql } from '../../functions/database/connection.ts';

export interface MerchantDatabase {
  /** What goes into the secret that `databaseSecretArn` names. */
  readonly secret: Readonly<Record<string, string | number>>;
  readonly sql: Sql;
}

/** A PostgreSQL as a merchant has one: its user owns the database and may make roles, but is no superuser. */
export async function startDatabase(folder: string, teardown: AsyncDisposableStack): Promise<MerchantDatabase> {
  const cluster = join(folder, 'postgres');
  await removeCluster(cluster);
  const port = await freePort();
  const server = await startPostgres({ folder: cluster, port, settings: { max_connections: '200', fsync: 'off' } });
  teardown.defer(async () => {
    await server.stop();
    await removeCluster(cluster);
  });
  const secret = {
    host: '127.0.0.1',
    port,
    dbname: 'shop',
    username: 'merchant',
    password: randomBytes(18).toString('hex'),
  };
  const admin = postgres(server.url('postgres'), { max: 1 });
  await admin.unsafe(`CREATE ROLE merchant LOGIN CREATEROLE NOSUPERUSER PASSWORD '${secret.password}'`);
  await admin`CREATE DATABASE shop OWNER merchant`;
  await admin.end();
  const sql = connect({ url: `postgres://merchant:${secret.password}@127.0.0.1:${port}/shop`, max: 2 });
  teardown.defer(() => sql.end({ timeout: 5 }));
  return { secret, sql };
}
