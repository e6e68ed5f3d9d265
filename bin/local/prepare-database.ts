import { join } from 'node:path';
import { connect } from '../../functions/database/connection.ts';
import { migrate, readMigrations } from '../../functions/database/migrate.ts';
import { openApplicationRole } from './database/application-role.ts';
import { endLeases } from './database/leases.ts';
import { seedProducts } from './database/products.ts';

/** Migrates and seeds. Returns the URL that the functions connect with. `isOurs`: nobody else works on this database. */
export async function prepareDatabase(ownerUrl: string, appPassword: string, isOurs: boolean): Promise<string> {
  const sql = connect({ url: ownerUrl, max: 1 });
  try {
    await migrate(sql, await readMigrations(join(import.meta.dirname, '../../migrations')));
    await seedProducts(sql);
    if (isOurs) await endLeases(sql);
    return await openApplicationRole(sql, ownerUrl, appPassword);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
