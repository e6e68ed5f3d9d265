import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import type { Sql } from './connection.ts';

export interface Migration {
  /** File name; names sort in the order of application. */
  readonly name: string;
  readonly text: string;
}

/** Any number that no other program on this database uses for an advisory lock. */
const MIGRATION_LOCK = 7_103_260_401;

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}

/** A deadlock is a matter of an unlucky moment: the webhook or worker in it is gone by the next try. */
const TRIES = 3;
const DEADLOCK = '40P01';

/**
 * Applies what is missing, in order and in one transaction: a failure leaves the schema as it was. Returns the names
 * applied. Two runs at once wait for each other. A database that is ahead of this code is left as it is, so that code can
 * be rolled back; a migration whose text has changed since it was applied is an error. The version that is being replaced
 * works on meanwhile; a deadlock with it is tried again, twice at most.
 */
export async function migrate(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await applyMissing(sql, migrations);
    } catch (error) {
      if (tried === TRIES || Object(error).code !== DEADLOCK) throw error;
    }
  }
}

async function applyMissing(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  return sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    // A change that waits for a table makes every webhook wait behind it: rather a deployment that is tried again.
    await tx`SET LOCAL lock_timeout = '10s'`;
    await tx`
      CREATE TABLE IF NOT EXISTS schema_migrations (
        name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())`;
    const applied = new Map(
      (await tx<{ name: string; checksum: string }[]>`SELECT name, checksum FROM schema_migrations`).map((row) => [
        row.name,
        row.checksum,
      ]),
    );
    const missing = migrations.filter((migration) => isMissing(migration, applied.get(migration.name)));
    for (const migration of missing) await apply(tx, migration);
    return missing.map(({ name }) => name);
  });
}

function isMissing(migration: Migration, appliedChecksum: string | undefined): boolean {
  if (appliedChecksum !== undefined && appliedChecksum !== checksum(migration)) {
    throw new Error(`migration ${migration.name} was changed after it had been applied`);
  }
  return appliedChecksum === undefined;
}

async function apply(tx: postgres.TransactionSql<{ bigint: number }>, migration: Migration): Promise<void> {
  await tx.unsafe(migration.text);
  await tx`INSERT INTO schema_migrations (name, checksum) VALUES (${migration.name}, ${checksum(migration)})`;
}

function checksum({ text }: Migration): string {
  return createHash('sha256').update(text).digest('hex');
}
