import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addAttempt, addOrder, addTask } from '../support/rows.ts';

let db: TestDatabase;
let order: string;
let attempt: string;
beforeAll(async () => {
  db = await createDatabase();
  order = await addOrder(db.owner);
  attempt = await addAttempt(db.owner, order);
  await db.owner`INSERT INTO refunds (refund_id, merchant_order_id, clink_order_id, amount, currency, first_event_id)
                 VALUES ('rfd_kept', ${order}, ${attempt}, 5, 'USD', 'event_1')`;
  await db.owner`INSERT INTO reconciliation_cases (dedupe_key, event_id, merchant_order_id, reason, evidence)
                 VALUES ('case_kept', 'event_1', ${order}, 'x', '{"a":1}')`;
  await db.owner`INSERT INTO webhook_events (id, type, payload, body_hash) VALUES ('event_kept', 't', '{}', 'h')`;
  await db.owner`INSERT INTO order_journal (source, source_id, outcome, reason) VALUES ('webhook', 'event_kept', 'done', 'x')`;
  await addTask(db.owner, { dedupeKey: 'kept' });
});
afterAll(() => db.drop());

const CHECK_VIOLATION = '23514';
const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const PERMISSION_DENIED = '42501';

describe('vocabularies and money are held by the database', () => {
  it.each([
    ['an unknown payment status', `UPDATE merchant_orders SET payment_status = 'payed'`],
    ['an unknown fulfilment status', `UPDATE merchant_orders SET fulfillment_status = 'sent'`],
    ['an unknown session status', `UPDATE merchant_orders SET clink_session_status = 'complete'`],
    ['an unknown attempt status', `UPDATE payment_attempts SET status = 'success'`],
    ['an unknown event status', `UPDATE webhook_events SET status = 'done'`],
    ['an unknown case status', `UPDATE reconciliation_cases SET status = 'closed'`],
    ['an unknown task', `UPDATE outbox SET task = 'ship'`],
    ['an unknown task status', `UPDATE outbox SET status = 'done'`],
    ['an unknown refund status', `UPDATE refunds SET status = 'failed'`],
    ['an unknown outcome', `UPDATE order_journal SET outcome = 'ok'`],
    ['a refund of NaN', `UPDATE refunds SET amount = 'NaN'`],
    ['a refund of zero', `UPDATE refunds SET amount = 0`],
    ['a refund in lower case', `UPDATE refunds SET currency = 'usd'`],
    ['an order over NaN', `UPDATE merchant_orders SET original_amount = 'NaN'`],
    ['a refunded total of NaN', `UPDATE merchant_orders SET refunded_amount = 'NaN'`],
    ['a negative refunded total', `UPDATE merchant_orders SET refunded_amount = -1`],
    ['a refunded total without a payment', `UPDATE merchant_orders SET refunded_amount = 0.01`],
    ['half a refund basis', `UPDATE merchant_orders SET refundable_paid_amount = 5`],
    ['a paid order without a basis', `UPDATE merchant_orders SET payment_status = 'paid'`],
    ['a payload that is a JSON string', `UPDATE outbox SET payload = '"{}"'`],
    ['a payload that is an array', `UPDATE outbox SET payload = '[]'`],
    ['evidence that is a JSON string', `UPDATE reconciliation_cases SET evidence = '"x"'`],
    ['a snapshot that is a JSON string', `UPDATE merchant_orders SET product_snapshot = '"x"'`],
    ['a processing row without a lease', `UPDATE outbox SET status = 'processing', claim_token = 't'`],
    ['a processing row without a token', `UPDATE outbox SET status = 'processing', lease_until = now()`],
    ['a pending row with a token', `UPDATE outbox SET claim_token = 't'`],
    ['a finished row with a lease', `UPDATE outbox SET status = 'succeeded', lease_until = now()`],
    ['a failed row that has started', `UPDATE outbox SET status = 'failed', started_at = now()`],
    ['a negative attempt', `UPDATE outbox SET attempt = -1`],
    ['a product for nothing', `INSERT INTO products (id, name, unit_amount, currency) VALUES ('p', 'n', 0, 'USD')`],
  ])('%s', async (_what, statement) => {
    await expect(db.owner.unsafe(statement)).rejects.toMatchObject({ code: CHECK_VIOLATION });
  });

  it('a task that no worker is there for', async () => {
    const [rule] = await db.owner<{ text: string }[]>`
      SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE contypid = 'task_name'::regtype`;
    const allowed = [...(rule?.text ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name);
    expect(allowed.sort()).toEqual([...TASK_NAMES].sort());
  });

  it('a refunded total above the basis', async () => {
    const paid = await addOrder(db.owner);
    const by = await addAttempt(db.owner, paid);
    await db.owner`UPDATE merchant_orders SET refundable_paid_clink_order_id = ${by}, refundable_paid_amount = 10,
                     refundable_paid_currency = 'USD' WHERE id = ${paid}`;
    await expect(
      db.owner`UPDATE merchant_orders SET refunded_amount = 10.0001 WHERE id = ${paid}`,
    ).rejects.toMatchObject({ code: CHECK_VIOLATION });
  });

  it("a pointer or a refund that pairs an order with another order's attempt", async () => {
    const other = await addOrder(db.owner);
    await expect(
      db.owner`UPDATE merchant_orders SET current_clink_order_id = ${attempt} WHERE id = ${other}`,
    ).rejects.toMatchObject({ code: FOREIGN_KEY_VIOLATION });
    await expect(
      db.owner`INSERT INTO refunds (refund_id, merchant_order_id, clink_order_id, amount, currency, first_event_id)
               VALUES ('rfd_x', ${other}, ${attempt}, 1, 'USD', 'e')`,
    ).rejects.toMatchObject({ code: FOREIGN_KEY_VIOLATION });
  });

  it('two orders under one idempotency key of a customer, or with one session', async () => {
    const key = { idempotencyKey: 'k', requestHash: 'h' };
    await addOrder(db.owner, { ...key, clinkSessionId: 'sess_one' });
    await expect(addOrder(db.owner, key)).rejects.toMatchObject({ code: UNIQUE_VIOLATION });
    await addOrder(db.owner, { ...key, customerId: 'customer_2' });
    await expect(addOrder(db.owner, { clinkSessionId: 'sess_one' })).rejects.toMatchObject({ code: UNIQUE_VIOLATION });
  });
});

describe('what is settled cannot be rewritten by the application', () => {
  it.each([
    ['a refund', `UPDATE refunds SET amount = 1`],
    ['a refund away', `DELETE FROM refunds`],
    ['a journal row', `UPDATE order_journal SET reason = 'y'`],
    ['a journal row away', `DELETE FROM order_journal`],
    ["a case's evidence", `UPDATE reconciliation_cases SET evidence = '{}'`],
    ['a case away', `DELETE FROM reconciliation_cases`],
    ['a stored body', `UPDATE webhook_events SET payload = '{}'`],
    ['an event away', `DELETE FROM webhook_events`],
    ["an attempt's owner", `UPDATE payment_attempts SET merchant_order_id = 'x'`],
    ['what was bought', `UPDATE merchant_orders SET product_snapshot = '{}'`],
    ['the price', `UPDATE merchant_orders SET original_amount = 1`],
    ['a task into another', `UPDATE outbox SET task = 'fulfill'`],
    ['a task away', `DELETE FROM outbox`],
    ['the catalog', `UPDATE products SET unit_amount = 1`],
    ['the schema', `CREATE TABLE extra (id INT)`],
    ['a table', `ALTER TABLE refunds DROP CONSTRAINT refunds_amount_check`],
  ])('%s', async (_what, statement) => {
    await expect(db.app.unsafe(statement)).rejects.toMatchObject({
      code: expect.stringMatching(`${PERMISSION_DENIED}|42P01`),
    });
  });

  it('but what must move can be moved', async () => {
    await db.app`UPDATE merchant_orders SET updated_at = now() WHERE id = ${order}`;
    await db.app`UPDATE reconciliation_cases SET status = 'open' WHERE dedupe_key = 'case_kept'`;
    await db.app`UPDATE outbox SET next_retry_at = now() WHERE dedupe_key = 'kept'`;
  });

  it('and no statement of the application may hang', async () => {
    const settings = await db.app<{ name: string; setting: string }[]>`
      SELECT name, setting FROM pg_settings
      WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`;
    expect(settings).toHaveLength(3);
    expect(settings.every(({ setting }) => Number(setting) > 0)).toBe(true);
  });
});

describe('numbers come back as they are', () => {
  it('refuses a BIGINT that a number cannot hold', async () => {
    await expect(db.owner`SELECT 9007199254740993::bigint AS n`).rejects.toThrow(RangeError);
    expect(await db.owner`SELECT 9007199254740991::bigint AS n`).toMatchObject([{ n: 9007199254740991 }]);
  });

  it('keeps NUMERIC as text, and camel-cases columns but not keys inside JSONB', async () => {
    const [row] = await db.owner`SELECT 0.1::numeric + 0.2::numeric AS the_sum, '{"snake_key":1}'::jsonb AS the_json`;
    expect(row).toEqual({ theSum: '0.3', theJson: { snake_key: 1 } });
  });
});
