import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { connect, type Sql } from '../../functions/database/connection.ts';

export interface TestDatabase {
  /** As the application's role, with its grants: what the code under test gets. */
  readonly app: Sql;
  /** As the owner: for looking at everything and for breaking things on purpose. */
  readonly owner: Sql;
  readonly appUrl: string;
  readonly ownerUrl: string;
  drop(): Promise<void>;
}

/** A database of the caller's own, cloned from the migrated template. */
export async function createDatabase(max = 10): Promise<TestDatabase> {
  const serverUrl = inject('databaseServerUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template_payments`);

  const ownerUrl = urlOf(serverUrl, { pathname: name });
  const appUrl = urlOf(ownerUrl, { username: 'payments_app', password: 'payments_app' });
  const app = connect({ url: appUrl, max });
  const owner = connect({ url: ownerUrl, max });
  return {
    app,
    owner,
    appUrl,
    ownerUrl,
    async drop() {
      await Promise.all([app.end({ timeout: 5 }), owner.end({ timeout: 5 })]);
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

function urlOf(url: string, parts: { pathname?: string; username?: string; password?: string }): string {
  return Object.assign(new URL(url), parts).href;
}
