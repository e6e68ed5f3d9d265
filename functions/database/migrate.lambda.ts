import { join } from 'node:path';
import { log } from '../platform/log.ts';
import { openApplicationRole } from './application-role.ts';
import { migrate, readMigrations } from './migrate.ts';
import { openDatabaseAsOwner } from './open-database.ts';

/** Runs once in each deployment that brings something new, before the other functions do. Throws to fail the deployment. */
export async function handler(): Promise<void> {
  const sql = await openDatabaseAsOwner();
  try {
    const applied = await migrate(sql, await readMigrations(join(import.meta.dirname, 'migrations')));
    await openApplicationRole(sql, process.env.DATABASE_SECRET_ID ? 'owner' : 'tokens');
    log.info('schema_migrated', { applied: applied.join(', ') || 'nothing' });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
