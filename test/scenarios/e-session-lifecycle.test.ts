import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, type Order, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { collide, orderLocks } from '../support/collision.ts';
import {
  type Attempted,
  attemptedOrder,
  clinkOrderIs,
  deliverAll,
  newRefundId,
  paidOrder,
} from '../support/payments.ts';
import { addOrder } from '../support/rows.ts';
import { snapshotOf, tasksOfEvent } from '../support/snapshot.ts';
import { casesOf, eventStatus, journalOf, refundsOf, storedOrder, tasksOf } from '../support/stored.ts';
import { type Body, orderBody, refundBody, sessionBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend.close());

const ENDS = [
  ['session.complete', 'completed'],
  ['session.expired', 'expired'],
] as const;

/** The states of a payment that a session's end can meet, and how to come to each. */
const UNPAID: readonly (readonly [string, () => Promise<Order>])[] = [
  ['pending, with no attempt', () => backend.checkout()],
  ['pending', () => attemptedOrder(backend)],
  ['action_required', () => orderAfter('order.next_action')],
  ['payment_failed', () => orderAfter('order.failed')],
];
const PAID: readonly (readonly [string, () => Promise<Order>])[] = [
  ['paid', () => paidOrder(backend)],
  ['partial_refunded', () => refundedOrder(5, 'partial_refunded')],
  ['refunded', () => refundedOrder(19.99, 'refunded')],
];

async function orderAfter(type: 'order.next_action' | 'order.failed'): Promise<Attempted> {
  const order = await attemptedOrder(backend);
  await deliverAll(backend, orderBody(type, order, order.clinkOrderId, { created: T + 1000 }));
  return order;
}

async function refundedOrder(amount: number, status: string): Promise<Attempted> {
  const order = await paidOrder(backend);
  await clinkOrderIs(backend, order, status);
  await deliverAll(backend, refundBody(order.clinkOrderId, newRefundId(), amount));
  await backend.runDue();
  expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: status });
  expect(await refundsOf(backend.db.owner, order.id)).toHaveLength(1);
  return order;
}

/** Delivers the end of a session and holds that it moved the session's own columns and nothing else. */
async function expectOnlySessionMoved(order: Order, event: Body, to: { status: string; created: number }) {
  const before = await snapshotOf(backend.db.owner, order.id);
  await deliverAll(backend, event);
  expect(await snapshotOf(backend.db.owner, order.id)).toEqual({
    ...before,
    order: { ...before.order, clink_session_status: to.status, clink_session_last_event_created: to.created },
  });
  expect(await eventStatus(backend.db.owner, event.id)).toBe('processed');
  expect(await tasksOfEvent(backend.db.owner, event.id)).toEqual([]);
}

/** Holds that an event left everything alone, and ended processed for the given reason. */
async function expectNothingMoved(order: Order, event: Body, reason: string) {
  const before = await snapshotOf(backend.db.owner, order.id);
  await deliverAll(backend, event);
  expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
  expect(await eventStatus(backend.db.owner, event.id)).toBe('processed');
  expect((await journalOf(backend.db.owner, order.id)).at(-1)).toBe(reason);
}

/** Delivers a conflict and holds that it left the order alone and made one case with one task. */
async function expectOneCase(order: Order, events: readonly Body[], reason: string, incoming: object) {
  const before = await snapshotOf(backend.db.owner, order.id);
  await deliverAll(backend, ...events);
  const { order: columns, attempts } = await snapshotOf(backend.db.owner, order.id);
  expect({ order: columns, attempts }).toEqual({ order: before.order, attempts: before.attempts });
  expect(await casesOf(backend.db.owner, order.id)).toMatchObject([{ reason, evidence: { incoming } }]);
  expect(await tasksOf(backend.db.owner, order.id)).toEqual(['manual_reconciliation']);
  for (const { id } of events) expect(await eventStatus(backend.db.owner, id)).toBe('processed');
}

describe('E session lifecycle', () => {
  it.each(UNPAID)('E1 complete while %s: the session is completed, and that is all', async (_state, prepare) => {
    const order = await prepare();
    const event = sessionBody('session.complete', order, { created: T + 2000 });
    await expectOnlySessionMoved(order, event, { status: 'completed', created: T + 2000 });
  });

  it('E1 complete in the words of the guide: "complete" is "completed"', async () => {
    const order = await backend.checkout();
    const event = sessionBody('session.complete', order, { status: 'complete' });
    await expectOnlySessionMoved(order, event, { status: 'completed', created: T });
  });

  it.each(UNPAID)(
    'E2 expired while %s: the session is expired, the payment has not failed',
    async (_state, prepare) => {
      const order = await prepare();
      const event = sessionBody('session.expired', order, { created: T + 2000 });
      await expectOnlySessionMoved(order, event, { status: 'expired', created: T + 2000 });
    },
  );

  it.each(PAID.flatMap(([state, prepare]) => ENDS.map(([type, status]) => ({ state, prepare, type, status }))))(
    'E3 $type after $state: payment, refunds, delivery and attempts stay',
    async ({ prepare, type, status }) => {
      const order = await prepare();
      const event = sessionBody(type, order, { created: T + 20_000 });
      await expectOnlySessionMoved(order, event, { status, created: T + 20_000 });
    },
  );

  it('E3 a success after the session has expired: paid, and the session stays expired', async () => {
    const order = await attemptedOrder(backend);
    const success = orderBody('order.succeeded', order, order.clinkOrderId, { created: T + 1000 });
    await deliverAll(backend, sessionBody('session.expired', order, { created: T + 2000 }), success);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      clinkSessionStatus: 'expired',
    });
  });

  it.each(
    ENDS.flatMap(([type]) =>
      [
        ['absent', undefined],
        ['null', null],
        ['blank', ' '],
        ['the text "null"', 'null'],
      ].map(([what, merchantReferenceId]) => ({ type, what, merchantReferenceId })),
    ),
  )('E4 $type with a reference that is $what: waits with one task', async ({ type, merchantReferenceId }) => {
    const order = await backend.checkout();
    const before = await snapshotOf(backend.db.owner, order.id);
    const event = sessionBody(type, order, { merchantReferenceId });
    await deliverAll(backend, event, event);
    await backend.runOnce('reprocess_webhook');

    expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
    expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
      { task: 'reprocess_webhook', status: 'pending', attempt: 1 },
    ]);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
  });

  it.each(ENDS)(
    'E4 %s of an order that is not there yet: waits with one task, and is done once it is',
    async (type, status) => {
      const order = { id: `mo_${randomUUID()}`, sessionId: `sess_${randomUUID()}` };
      const event = sessionBody(type, order);
      await deliverAll(backend, event, event);
      await backend.runOnce('reprocess_webhook');
      expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
      expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([{ task: 'reprocess_webhook', attempt: 1 }]);

      await addOrder(backend.db.owner, { id: order.id, clinkSessionId: order.sessionId });
      await backend.passBackoff();
      await backend.runOnce('reprocess_webhook');
      expect(await eventStatus(backend.db.owner, event.id)).toBe('processed');
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        clinkSessionStatus: status,
        clinkSessionLastEventCreated: T,
        paymentStatus: 'pending',
      });
    },
  );

  it.each(
    ENDS.flatMap(([type, ownStatus]) => [
      {
        type,
        what: 'without a session id',
        fields: { sessionId: null },
        reason: 'session_event_missing_required_identifier',
        incoming: { clinkSessionId: null },
      },
      {
        type,
        what: 'with a foreign session id',
        fields: { sessionId: 'sess_other' },
        reason: 'session_event_ownership_conflict',
        incoming: { clinkSessionId: 'sess_other' },
      },
      ...['open', ownStatus === 'expired' ? 'completed' : 'expired'].map((status) => ({
        type,
        what: `that says ${status}`,
        fields: { status },
        reason: 'session_event_status_mismatch',
        incoming: { status },
      })),
      {
        type,
        what: 'without a usable time',
        fields: { created: 'yesterday' },
        reason: 'session_event_invalid_created',
        incoming: { status: ownStatus },
      },
    ]),
  )('E5 $type $what: nothing moves, one case under every event id', async ({ type, fields, reason, incoming }) => {
    const order = await attemptedOrder(backend);
    const events = [sessionBody(type, order, fields), sessionBody(type, order, fields)];
    await expectOneCase(order, events, reason, incoming);
  });

  it.each(ENDS)(
    'E5 %s while our own session id is not saved yet: waits, and is done once it is',
    async (type, status) => {
      const sessionId = `sess_${randomUUID()}`;
      const id = await addOrder(backend.db.owner, {
        clinkSessionId: null,
        clinkCheckoutUrl: null,
        paymentStatus: 'created',
      });
      const event = sessionBody(type, { id, sessionId });
      await deliverAll(backend, event);
      expect(await journalOf(backend.db.owner, id)).toEqual(['session_not_saved_yet']);
      expect(await casesOf(backend.db.owner, id)).toEqual([]);
      expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');

      await backend.db.owner`UPDATE merchant_orders SET clink_session_id = ${sessionId} WHERE id = ${id}`;
      await backend.passBackoff();
      await backend.runOnce('reprocess_webhook');
      expect(await storedOrder(backend.db.owner, id)).toMatchObject({ clinkSessionStatus: status });
      expect(await eventStatus(backend.db.owner, event.id)).toBe('processed');
    },
  );

  it.each([
    ['session.complete', 'session.expired'],
    ['session.expired', 'session.complete'],
  ] as const)('E6 an older %s after a newer %s: ignored', async (older, newer) => {
    const order = await backend.checkout();
    await deliverAll(backend, sessionBody(newer, order, { created: T + 2000 }));
    await expectNothingMoved(order, sessionBody(older, order, { created: T + 1999 }), 'session_event_outdated');
    expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
  });

  it.each(ENDS)('E6 a newer %s after an older end: it is the one that counts', async (type, status) => {
    const order = await backend.checkout();
    const other = type === 'session.complete' ? 'session.expired' : 'session.complete';
    await deliverAll(backend, sessionBody(other, order, { created: T }));
    const event = sessionBody(type, order, { created: T + 1 });
    await expectOnlySessionMoved(order, event, { status, created: T + 1 });
  });

  it.each([
    ['session.complete', 'session.expired', 'expired'],
    ['session.expired', 'session.complete', 'completed'],
  ] as const)('E7 %s, then %s of the same millisecond: the first stays, one case', async (first, second, incoming) => {
    const order = await backend.checkout();
    await deliverAll(backend, sessionBody(first, order));
    const again = [sessionBody(second, order), sessionBody(second, order)];
    await expectOneCase(order, again, 'session_terminal_same_version_conflict', { status: incoming });
  });

  it('E7 both ends of the same millisecond at once: one of them stays, the other is a case', async () => {
    const order = await backend.checkout();
    const events = ENDS.map(([type]) => sessionBody(type, order));
    const deliveries = events.map((event) => () => backend.deliver(event));
    const answers = await collide(backend.db.owner, orderLocks(order.id), deliveries);
    expect(answers).toEqual(Array(2).fill({ statusCode: 200, body: 'ok' }));

    const stored = await storedOrder(backend.db.owner, order.id);
    expect(['completed', 'expired']).toContain(stored?.clinkSessionStatus);
    expect(stored?.clinkSessionLastEventCreated).toBe(T);
    const refused = stored?.clinkSessionStatus === 'expired' ? 'completed' : 'expired';
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([{ evidence: { incoming: { status: refused } } }]);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['manual_reconciliation']);
  });

  it.each(ENDS)('E8 %s again, under its own and under another event id: nothing moves', async (type, status) => {
    const order = await attemptedOrder(backend);
    const event = sessionBody(type, order, { created: T + 2000 });
    await expectOnlySessionMoved(order, event, { status, created: T + 2000 });
    await expectNothingMoved(order, event, 'session_advanced');
    const again = sessionBody(type, order, { created: T + 2000 });
    await expectNothingMoved(order, again, 'session_event_repeated');
    expect(await tasksOf(backend.db.owner, order.id)).toEqual([]);
  });
});
