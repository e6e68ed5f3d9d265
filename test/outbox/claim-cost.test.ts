import postgres from 'postgres';
import { expect, it } from 'vitest';
import type { Sql } from '../../functions/database/connection.ts';
import { finishTask, renewLease, returnUnsent, takeOver } from '../../functions/database/outbox.ts';
import { claimTask } from '../../functions/outbox/claim-task.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const MOST_BUFFERS = 40;
const LEASE_MS = 60_000;

/** Rows of the outbox: how many of each kind. */
type Rows = Readonly<Record<'due' | 'finished' | 'future' | 'inFlight', number>>;

const COLUMNS: Readonly<Record<keyof Rows, readonly [names: string, values: string]>> = {
  due: ['next_retry_at', `now() - interval '1 hour'`],
  finished: ['status', `'succeeded'`],
  future: ['next_retry_at', `now() + interval '1 hour'`],
  inFlight: ['status, claim_token, lease_until', `'processing', 'ticket', now() + interval '1 hour'`],
};

async function databaseWith(rows: Rows): Promise<TestDatabase> {
  const db = await createDatabase(1);
  for (const [kind, count] of Object.entries(rows)) {
    const [names, values] = COLUMNS[kind as keyof Rows];
    await db.owner.unsafe(`
      INSERT INTO outbox (task, event_id, dedupe_key, ${names})
      SELECT 'fulfill', 'event_1', '${kind}:' || n, ${values} FROM generate_series(1, ${count}) AS n`);
  }
  await db.owner`VACUUM ANALYZE outbox`;
  return db;
}

type Statement = readonly [text: string, parameters: unknown[]];

/** What `work` sends about the outbox, in that order. */
async function statementsOf(url: string, work: (sql: Sql) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const debug = (_connection: number, text: string, parameters: unknown[]) => {
    if (text.includes('outbox')) statements.push([text, parameters]);
  };
  const transform = { column: { from: postgres.toCamel } };
  const sql = postgres(url, { max: 1, debug, transform }) as unknown as Sql;
  await work(sql);
  await sql.end();
  return statements;
}

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** Runs a statement for its plan and takes back what it did. */
async function planOf({ owner }: TestDatabase, [text, parameters]: Statement): Promise<Plan> {
  const connection = await owner.reserve();
  await connection`BEGIN`;
  const [row] = await connection.unsafe(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, parameters as never[]);
  await connection`ROLLBACK`;
  connection.release();
  const [{ Plan: plan }] = Object.values(row ?? {})[0] as [{ Plan: Plan }];
  return plan;
}

it.each<[string, Rows]>([
  ['few rows are due', { due: 100, finished: 0, future: 0, inFlight: 0 }],
  ['many rows are due beside many finished ones', { due: 30_000, finished: 30_000, future: 0, inFlight: 0 }],
  ['many rows are due later', { due: 100, finished: 0, future: 30_000, inFlight: 0 }],
  ['many rows are in flight', { due: 100, finished: 1_000, future: 0, inFlight: 1_000 }],
])(`a claim reads at most ${MOST_BUFFERS} buffers when %s`, async (_when, rows) => {
  const db = await databaseWith(rows);
  const claim = { leaseMs: LEASE_MS, maxInFlight: () => rows.inFlight + 1, newToken: () => 'mine' };
  const statements = await statementsOf(db.appUrl, async (sql) => {
    for (const ticket of await claimTask({ sql, ...claim }, 'fulfill')) await returnUnsent(db.owner, ticket);
  });
  expect(statements).toHaveLength(2);
  for (const statement of statements) {
    const plan = await planOf(db, statement);
    expect(plan['Actual Rows']).toBe(1);
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(MOST_BUFFERS);
  }
  await db.drop();
});

it('what is guarded by a token is found by its id, also when nothing was in flight as PostgreSQL last counted', async () => {
  const db = await databaseWith({ due: 100, finished: 1_000, future: 0, inFlight: 0 });
  const statements = await statementsOf(db.appUrl, async (sql) => {
    const take = { id: 1, ticket: 'ticket', claimToken: 'mine', workerId: 'worker', leaseMs: LEASE_MS };
    await takeOver(sql, take);
    await renewLease(sql, take, LEASE_MS);
    await finishTask(sql, take);
  });
  expect(statements).toHaveLength(3);
  for (const statement of statements) {
    const plan = await planOf(db, statement);
    expect(plan.Plans?.map((scan) => scan['Index Name'])).toEqual(['outbox_pkey']);
  }
  await db.drop();
});
