import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEvent } from '../../functions/clink/wire.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { collide, untilBlocked } from '../support/collision.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addOrder } from '../support/rows.ts';
import { eventStatus } from '../support/stored.ts';
import { orderBody, refundBody, sessionBody } from '../support/webhooks.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.drop());

const unknown = { id: 'mo_unknown', sessionId: 'sess_unknown' };

/** Nothing but the event's own key makes two deliveries of these wait for each other: no order of theirs is known. */
it.each([
  ['of a type that is not ours', { ...orderBody('order.created', unknown, 'order_1'), type: 'invoice.paid' }],
  ['about a session', sessionBody('session.complete', unknown)],
  ['about an order', orderBody('order.succeeded', unknown, 'order_2')],
  ['about a refund', refundBody('order_3', 'rfd_1', 5)],
])('an event %s that is stored while another delivery of it is decided is a duplicate', async (_about, body) => {
  const text = JSON.stringify(body);
  const first = await db.owner.reserve();
  await first`BEGIN`;
  await first`INSERT INTO webhook_events (id, type, payload, body_hash, status)
              VALUES (${body.id}, ${body.type}, ${text}, 'hash of the first', 'processed')`;

  const flow = { sql: db.app, wakeUp: async () => undefined };
  const outcomes = Promise.all(
    ['hash of the first', 'hash of another'].map((hash) => receiveEvent(flow, readEvent(text), { text, hash })),
  );
  await untilBlocked(db.owner, 2);
  await first`COMMIT`;
  first.release();

  expect(await outcomes).toEqual(['duplicate', 'duplicate_with_other_body']);
  expect(await eventStatus(db.owner, body.id)).toBe('processed');
  expect(await db.owner`SELECT FROM outbox WHERE event_id = ${body.id}`).toHaveLength(0);
});

/**
 * A refund of an attempt that nobody knows locks no order. It can be stored, and looked at again in vain, after a webhook
 * has read that nothing waits and before it writes the attempt.
 */
it('a new attempt wakes a refund that began to wait after its webhook had looked', async () => {
  const order = { id: await addOrder(db.owner, { clinkSessionId: 'sess_late' }), sessionId: 'sess_late' };
  const [success, refund] = [
    orderBody('order.succeeded', order, 'order_late'),
    refundBody('order_late', 'rfd_late', 5),
  ];
  const flow = { sql: db.app, wakeUp: async () => undefined };
  const deliver = (body: { id: string }) => {
    const text = JSON.stringify(body);
    return receiveEvent(flow, readEvent(text), { text, hash: body.id });
  };
  const isDue = async () => {
    const [task] = await db.owner<{ isDue: boolean }[]>`
      SELECT due_at <= now() AS is_due FROM outbox WHERE dedupe_key = ${`reprocess_webhook:${refund.id}`}`;
    return task?.isDue;
  };

  await collide(
    db.owner,
    (tx) => tx`INSERT INTO webhook_events (id, type, payload, body_hash) VALUES (${success.id}, '', '', '')`,
    [() => deliver(success)],
    async () => {
      await deliver(refund);
      await db.owner`UPDATE outbox SET attempt = 1, next_retry_at = now() + interval '1 hour' WHERE event_id = ${refund.id}`;
      expect(await isDue()).toBe(false);
    },
  );

  expect(await eventStatus(db.owner, success.id)).toBe('processed');
  expect(await eventStatus(db.owner, refund.id)).toBe('pending');
  expect(await isDue()).toBe(true);
});
