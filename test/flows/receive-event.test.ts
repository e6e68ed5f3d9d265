import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEvent } from '../../functions/clink/wire.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { collide, untilBlocked } from '../support/collision.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addOrder } from '../support/rows.ts';
import { eventStatus, storedOrder } from '../support/stored.ts';
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

describe('a refund and the first sight of its attempt, of which one comes while the other is stored', () => {
  let wakeUps: string[];
  beforeEach(() => {
    wakeUps = [];
  });

  const deliver = (body: { id: string; type: string }) => {
    const text = JSON.stringify(body);
    const wakeUp = async () => void wakeUps.push(body.type);
    return receiveEvent({ sql: db.app, wakeUp }, readEvent(text), { text, hash: body.id });
  };

  /** Delivers the first up to the point where it writes its event, then the other until it waits, and lets both go on. */
  async function deliverAtOnce(first: { id: string; type: string }, other: { id: string; type: string }) {
    let later: Promise<unknown> | undefined;
    await collide(
      db.owner,
      (tx) => tx`INSERT INTO webhook_events (id, type, payload, body_hash) VALUES (${first.id}, '', '', '')`,
      [() => deliver(first)],
      async () => {
        later = deliver(other);
        await untilBlocked(db.owner, 2);
      },
    );
    await later;
  }

  async function pair(clinkOrderId: string) {
    const order = {
      id: await addOrder(db.owner, { clinkSessionId: `sess_${clinkOrderId}` }),
      sessionId: `sess_${clinkOrderId}`,
    };
    return {
      created: orderBody('order.created', order, clinkOrderId),
      succeeded: orderBody('order.succeeded', order, clinkOrderId),
      refund: refundBody(clinkOrderId, `rfd_${clinkOrderId}`, 5),
      order,
    };
  }

  it('the refund waits for its attempt and is booked', async () => {
    const { succeeded, refund, order } = await pair('order_4');
    await deliverAtOnce(succeeded, refund);
    expect(await storedOrder(db.owner, order.id)).toMatchObject({ paymentStatus: 'paid', refundedAmount: '5' });
    expect(await eventStatus(db.owner, refund.id)).toBe('processed');
  });

  it('the attempt waits for the refund and wakes it', async () => {
    const { created, refund } = await pair('order_5');
    await deliverAtOnce(refund, created);
    expect(await eventStatus(db.owner, refund.id)).toBe('pending');
    expect(wakeUps.toSorted()).toEqual(['order.created', 'refund.succeeded']);
  });
});
