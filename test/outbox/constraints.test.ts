import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await db.owner`INSERT INTO outbox (task, event_id, dedupe_key) VALUES ('fulfill', 'evt_1', 'key')`;
});
afterAll(() => db.drop());

it.each([
  ['processing without a token', `status = 'processing', lease_until = now()`],
  ['processing without a lease', `status = 'processing', claim_token = 't'`],
  ['pending with a token', `claim_token = 't'`],
  ['pending with a lease', `lease_until = now()`],
  ['pending with a worker', `worker_id = 'w'`],
  ['pending with a start', `started_at = now()`],
  ['succeeded with a token', `status = 'succeeded', claim_token = 't'`],
  ['failed with a lease', `status = 'failed', lease_until = now()`],
  ['a status of its own', `status = 'paused'`],
  ['a task of its own', `task = 'send_flowers'`],
  ['tries below zero', `attempt = -1`],
  ['a payload that is a text', `payload = '"{}"'`],
  ['a payload that is a list', `payload = '[]'`],
])('the outbox refuses a row that is %s', async (_, change) => {
  await expect(db.owner.unsafe(`UPDATE outbox SET ${change}`)).rejects.toMatchObject({ code: '23514' });
});

it.each([['task'], ['event_id'], ['order_id'], ['payload'], ['dedupe_key']])(
  'the application cannot rewrite %s of a queued task',
  async (column) => {
    await expect(db.app.unsafe(`UPDATE outbox SET ${column} = ${column}`)).rejects.toMatchObject({ code: '42501' });
  },
);

it('the application cannot delete a task', async () => {
  await expect(db.app`DELETE FROM outbox`).rejects.toMatchObject({ code: '42501' });
});

it('a finished row is not due, so that history costs a claim nothing', async () => {
  const [done] = await db.owner`
    INSERT INTO outbox (task, event_id, dedupe_key, status) VALUES ('fulfill', 'evt_1', 'done', 'succeeded') RETURNING due_at`;
  expect(done?.dueAt).toBeNull();
});
