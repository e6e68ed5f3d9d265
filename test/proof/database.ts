import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { connect, type Sql } from '../../functions/database/connection.ts';
import type { MerchantOrder } from '../../functions/decisions/order.ts';
import startServer from '../support/global-setup.ts';
import { addOrder } from '../support/rows.ts';

/** A database of a proof's own. */
export interface ProofDatabase {
  readonly owner: Sql;
  /** A pool of the application's role whose connections PostgreSQL lists under this name. */
  app(name: string, max?: number): Sql;
  /** Deletes every row and starts with these orders. */
  reset(orders: readonly MerchantOrder[]): Promise<void>;
  close(): Promise<void>;
}

/** A server for a command that runs outside of the test runner, set up as the tests' own. */
export async function startProofServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  let url = '';
  const project = {
    provide(_key: string, value: string) {
      url = value;
    },
  };
  const stop = await startServer(project as unknown as TestProject);
  return { url, stop };
}

/** A clone of the server's migrated template. */
export async function openProofDatabase(serverUrl: string): Promise<ProofDatabase> {
  const name = `proof_${randomBytes(6).toString('hex')}`;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template_payments`);
  const ownerUrl = Object.assign(new URL(serverUrl), { pathname: name }).href;
  const appUrl = Object.assign(new URL(ownerUrl), { username: 'payments_app', password: 'payments_app' }).href;
  const owner = connect({ url: ownerUrl, max: 8 });
  const pools: Sql[] = [owner];

  return {
    owner,
    app(actor, max = 2) {
      const pool = connect({ url: `${appUrl}?application_name=${actor}`, max });
      pools.push(pool);
      return pool;
    },
    async reset(orders) {
      await owner.unsafe(EMPTY);
      for (const { id, clinkSessionId, paymentStatus } of orders) {
        await addOrder(owner, { id, clinkSessionId, paymentStatus });
      }
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })));
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

const TABLES = [
  'order_journal',
  'outbox',
  'reconciliation_cases',
  'refunds',
  'webhook_events',
  'payment_attempts',
  'merchant_orders',
];

/** Foreign keys are not asked while everything goes; quicker than TRUNCATE for a handful of rows. */
const EMPTY = `SET session_replication_role = replica; ${TABLES.map((table) => `DELETE FROM ${table};`).join(' ')}
  SET session_replication_role = DEFAULT;`;
