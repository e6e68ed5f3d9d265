import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Transaction } from '../../functions/database/connection.ts';
import { asOneStatement, type Write } from '../../functions/database/one-statement.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addOrder } from '../support/rows.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase(1);
  await addOrder(db.owner, { id: 'mo_1' });
});
beforeEach(async () => {
  await db.owner`DELETE FROM outbox`;
  await db.owner`DELETE FROM payment_attempts`;
});
afterAll(() => db.drop());

const queue = (tx: Transaction, key: string): Write =>
  tx`INSERT INTO outbox (task, event_id, dedupe_key) VALUES ('fulfill', 'event_1', ${key})`;

function write(writes: (tx: Transaction) => Write[]): Promise<null> {
  return inTransaction(db.app, async (tx) => ({ result: null, writes: [asOneStatement(tx, writes(tx))] }));
}

async function keys(): Promise<string[]> {
  const rows = await db.owner<{ dedupeKey: string }[]>`SELECT dedupe_key FROM outbox ORDER BY id`;
  return rows.map(({ dedupeKey }) => dedupeKey);
}

it.each([1, 2, 3, 9])('%i writes are all done, in the order given', async (count) => {
  const given = Array.from({ length: count }, (_, at) => `key_${count - at}`);
  await write((tx) => given.map((key) => queue(tx, key)));
  expect(await keys()).toEqual(given);
});

it('a row may point at one that the same statement writes', async () => {
  await write((tx) => [
    tx`INSERT INTO payment_attempts (clink_order_id, merchant_order_id, clink_session_id, status, last_event_created)
       VALUES ('order_1', 'mo_1', 'sess_1', 'pending', 1)`,
    tx`UPDATE merchant_orders SET current_clink_order_id = 'order_1' WHERE id = 'mo_1'`,
  ]);
  const [order] = await db.owner`SELECT current_clink_order_id FROM merchant_orders WHERE id = 'mo_1'`;
  expect(order).toEqual({ currentClinkOrderId: 'order_1' });
  await db.owner`UPDATE merchant_orders SET current_clink_order_id = NULL`;
});

it('what fails first is what is thrown, and nothing is written', async () => {
  await db.owner`INSERT INTO outbox (task, event_id, dedupe_key) VALUES ('fulfill', 'event_1', 'taken')`;
  const withoutLease = (tx: Transaction): Write =>
    tx`INSERT INTO outbox (task, event_id, dedupe_key, status) VALUES ('fulfill', 'event_1', 'other', 'processing')`;
  await expect(write((tx) => [queue(tx, 'new'), queue(tx, 'taken'), withoutLease(tx)])).rejects.toMatchObject({
    constraint_name: 'uq_outbox_dedupe',
  });
  await expect(write((tx) => [queue(tx, 'new'), withoutLease(tx), queue(tx, 'taken')])).rejects.toMatchObject({
    constraint_name: 'ck_outbox_lease_follows_status',
  });
  expect(await keys()).toEqual(['taken']);
});
