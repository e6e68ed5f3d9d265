import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { reprocessEvent } from '../../functions/flows/reprocess-event.ts';
import { pruneHistory } from '../../functions/outbox/prune-history.ts';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { log } from '../../functions/platform/log.ts';
import { bodyOf } from '../proof/body.ts';
import { ORDER_ID, orderEvent, SESSION_ID } from '../support/clink-events.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addOrder, addTask } from '../support/rows.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
beforeEach(
  () => db.owner`TRUNCATE outbox, webhook_events, order_journal, merchant_orders, payment_attempts, refunds CASCADE`,
);
afterAll(() => db.drop());

const KEEP_DAYS = 30;
const prune = (keepDays = KEEP_DAYS, hasTime = timeFor(1)) => pruneHistory({ sql: db.app, keepDays, hasTime });
const timeFor = (batches: number) => () => batches-- > 0;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const OLD = { updatedAt: daysAgo(KEEP_DAYS + 1) };

const flow = () => ({ sql: db.app, wakeUp: async () => undefined });
const event = orderEvent('order.created');
const body = bodyOf(event);

/** As the handler stores it; then so much time passes. */
async function receive({ text, hash } = body, days = 0) {
  const received = await receiveEvent(flow(), event, { text, hash });
  await db.owner`UPDATE webhook_events SET updated_at = ${daysAgo(days)}`;
  return received;
}

async function stored() {
  const [row] = await db.owner<{ payload: string | null; bodyHash: string; status: string }[]>`
    SELECT payload, body_hash, status FROM webhook_events WHERE id = ${event.id}`;
  return row;
}

const keys = async () =>
  (await db.owner<{ dedupeKey: string }[]>`SELECT dedupe_key FROM outbox ORDER BY id`).map((row) => row.dedupeKey);

describe('of the tasks', () => {
  it('those go that succeeded, are old, and cannot be asked for again', async () => {
    for (const task of TASK_NAMES) await addTask(db.owner, { task, dedupeKey: task, status: 'succeeded', ...OLD });
    expect(await prune()).toEqual({ tasks: 5, bodies: 0 });
    expect((await keys()).sort()).toEqual(['apply_refund_policy', 'manual_reconciliation', 'refund_reconcile']);
  });

  it('those stay that are to be done, failed, or were closed by a person', async () => {
    const lease = { claimToken: 'token', leaseUntil: new Date() };
    await addTask(db.owner, { dedupeKey: 'pending', ...OLD });
    await addTask(db.owner, { dedupeKey: 'processing', status: 'processing', ...lease, ...OLD });
    await addTask(db.owner, { dedupeKey: 'failed', status: 'failed', ...OLD });
    await addTask(db.owner, { dedupeKey: 'closed', status: 'closed', ...OLD });
    expect(await prune()).toEqual({ tasks: 0, bodies: 0 });
    expect(await keys()).toEqual(['pending', 'processing', 'failed', 'closed']);
  });

  it('those stay that finished within the time, and within a week whatever is asked for', async () => {
    await addTask(db.owner, { dedupeKey: 'young', status: 'succeeded', updatedAt: daysAgo(KEEP_DAYS - 1) });
    await addTask(db.owner, { dedupeKey: 'fresh', status: 'succeeded', updatedAt: daysAgo(6) });
    await prune();
    expect(await keys()).toEqual(['young', 'fresh']);
    await prune(1);
    expect(await keys()).toEqual(['fresh']);
  });

  it('the one that somebody holds is passed over', async () => {
    const id = await addTask(db.owner, { status: 'succeeded', ...OLD });
    await addTask(db.owner, { status: 'succeeded', ...OLD });
    await db.owner.begin(async (tx) => {
      await tx`SELECT FROM outbox WHERE id = ${id} FOR UPDATE`;
      expect(await prune()).toEqual({ tasks: 1, bodies: 0 });
    });
  });

  it('as many go as there is time for, and none when there is no time', async () => {
    await db.owner`
      INSERT INTO outbox (task, event_id, dedupe_key, status, updated_at)
      SELECT 'fulfill', 'event_1', 'many:' || n, 'succeeded', ${OLD.updatedAt} FROM generate_series(1, 3000) AS n`;
    expect(await prune(KEEP_DAYS, timeFor(0))).toEqual({ tasks: 0, bodies: 0 });
    expect(await prune(KEEP_DAYS, timeFor(1))).toEqual({ tasks: 1000, bodies: 0 });
    expect(await prune(KEEP_DAYS, () => true)).toEqual({ tasks: 2000, bodies: 0 });
  });
});

describe('of a processed event', () => {
  beforeEach(() => addOrder(db.owner, { id: ORDER_ID, clinkSessionId: SESSION_ID }));

  it('the body goes when it is old, and the event is known again when it comes again', async () => {
    await receive(body, KEEP_DAYS + 1);
    expect(await prune()).toEqual({ tasks: 0, bodies: 1 });
    expect(await stored()).toEqual({ payload: null, bodyHash: body.hash, status: 'processed' });
    const journal = await db.owner`SELECT * FROM order_journal`;
    expect(await receive()).toBe('duplicate');
    expect(await receive({ text: `${body.text} `, hash: 'of another' })).toBe('duplicate_with_other_body');
    expect(await stored()).toMatchObject({ payload: null, bodyHash: body.hash });
    expect(await db.owner`SELECT * FROM order_journal`).toEqual(journal);
  });

  it('nothing is left to do about it, also when a late message asks', async () => {
    await receive(body, KEEP_DAYS + 1);
    await prune();
    await reprocessEvent(flow(), event.id, new AbortController().signal);
    expect(await db.owner`SELECT FROM order_journal WHERE source = 'reprocess'`).toHaveLength(0);
  });

  it('as many bodies go as there is time for', async () => {
    await db.owner`
      INSERT INTO webhook_events (id, type, payload, body_hash, status, updated_at)
      SELECT 'event_' || n, 't', '{}', 'h', 'processed', ${OLD.updatedAt} FROM generate_series(1, 1500) AS n`;
    expect(await prune(KEEP_DAYS, () => true)).toEqual({ tasks: 0, bodies: 1500 });
  });

  it('the body stays within the time', async () => {
    await receive(body, KEEP_DAYS - 1);
    expect(await prune()).toEqual({ tasks: 0, bodies: 0 });
    expect(await stored()).toMatchObject({ payload: body.text });
  });
});

describe('of an event that is not processed', () => {
  it.each(['pending', 'failed'])('the body stays while it is %s, and the database holds that', async (status) => {
    await receive();
    await db.owner`UPDATE webhook_events SET status = ${status}, updated_at = ${daysAgo(1000)}`;
    expect(await prune()).toEqual({ tasks: 0, bodies: 0 });
    expect(await stored()).toMatchObject({ payload: body.text });
    await expect(db.owner`UPDATE webhook_events SET payload = NULL`).rejects.toMatchObject({ code: '23514' });
  });
});

it('what went is said in one line, and nothing when nothing went', async () => {
  const said = vi.spyOn(log, 'info').mockImplementation(() => undefined);
  await prune();
  expect(said).not.toHaveBeenCalled();
  await addOrder(db.owner, { id: ORDER_ID, clinkSessionId: SESSION_ID });
  await receive(body, KEEP_DAYS + 1);
  await addTask(db.owner, { status: 'succeeded', ...OLD });
  said.mockClear();
  await prune();
  expect(said.mock.calls).toEqual([['history_pruned', { tasks: 1, bodies: 1 }]]);
});

it('the books stay, however old they are', async () => {
  await addOrder(db.owner, { id: ORDER_ID, clinkSessionId: SESSION_ID });
  await receive();
  const tables = ['merchant_orders', 'payment_attempts', 'order_journal'];
  for (const table of tables)
    await db.owner.unsafe(
      `UPDATE ${table} SET ${table === 'order_journal' ? 'created_at' : 'updated_at'} = '2001-01-01'`,
    );
  await prune();
  for (const table of tables) expect(await db.owner.unsafe(`SELECT FROM ${table}`)).toHaveLength(1);
});

it('is done for the schedule once a minute while there is time, and not for a wake-up', async () => {
  vi.stubEnv('DATABASE_URL', db.appUrl);
  vi.stubEnv('RETENTION_DAYS', '20');
  const { handler } = await import('../../functions/outbox/claim-due.lambda.ts');
  const left = (ms: number) => ({ getRemainingTimeInMillis: () => ms });
  for (const days of [19, 21]) {
    await addTask(db.owner, { dedupeKey: `${days}`, status: 'succeeded', updatedAt: daysAgo(days) });
  }
  await handler({ Records: [] }, left(60_000));
  await handler({ source: 'aws.events' }, left(5_000));
  expect(await keys()).toEqual(['19', '21']);
  await handler({ source: 'aws.events' }, left(5_001));
  expect(await keys()).toEqual(['19']);
});

describe('the application', () => {
  it.each([
    ['the body of a processed event', `UPDATE webhook_events SET payload = NULL`],
    ['a finished task', `DELETE FROM outbox`],
  ])('may not take %s away by itself', async (_what, statement) => {
    await expect(db.app.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('is the only one who may have them pruned', async () => {
    const [row] = await db.owner`
      SELECT bool_or(has_function_privilege('public', oid, 'EXECUTE')) AS by_anyone,
             bool_and(has_function_privilege('payments_app', oid, 'EXECUTE')) AS by_app
      FROM pg_proc WHERE proname IN ('prune_finished_tasks', 'drop_processed_bodies')`;
    expect(row).toEqual({ byAnyone: false, byApp: true });
  });
});
