import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TaskName } from '../../functions/decisions/decision.ts';
import { OPEN_ENDS, orderAfter, sessionNames } from '../support/attempts.ts';
import { type Backend, type Order, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { collide, orderLocks } from '../support/collision.ts';
import { deliveriesOf, expectProcessed, lastReason, runToTheEnd, stateOf } from '../support/outcome.ts';
import {
  type Attempted,
  attemptedOrder,
  clinkOrderIs,
  deliverAll,
  newClinkOrderId,
  paidOrder,
} from '../support/payments.ts';
import { addAttempt } from '../support/rows.ts';
import { snapshotOf, tasksOfEvent } from '../support/snapshot.ts';
import { casesOf, eventStatus, storedAttempt, storedOrder, tasksOf } from '../support/stored.ts';
import { type Body, orderBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
beforeEach(async () => {
  await backend.db.owner`DELETE FROM outbox`;
});
afterAll(() => backend.close());

const BOTH_WAYS = [
  { way: 'in this order', turned: false },
  { way: 'the other way round', turned: true },
];

/** Delivers events at once: each is decided only when all of them wait for the order's lock. */
async function deliverAtOnce(order: Order, events: readonly Body[]): Promise<void> {
  const deliveries = events.map((event) => () => backend.deliver(event));
  const answers = await collide(backend.db.owner, orderLocks(order.id), deliveries);
  expect(answers).toEqual(events.map(() => ({ statusCode: 200, body: 'ok' })));
}

/** Runs a task that asks Clink, and lets something happen after Clink has answered and before the task has heard it. */
async function whileClinkAnswers(task: TaskName, happen: () => Promise<void>): Promise<void> {
  const held = backend.gate.hold();
  const running = backend.runOnce(task);
  await held.answered;
  await happen();
  held.release();
  expect(await running).toBe(1);
}

/** A failed attempt, then `next_action` of another one whose creation is not known; the session names that one. */
async function orderToAsk() {
  const order = await orderAfter(backend, 'order.failed');
  const next = newClinkOrderId();
  const event = orderBody('order.next_action', order, next, { created: T + 3000 });
  await deliverAll(backend, event);
  await sessionNames(backend, order, next);
  return { order, next, event };
}

describe('C1 and C2 two attempts at once', () => {
  it.each(BOTH_WAYS)(
    'C1 failure of A and next_action of B at once, $way, created of B late: pending, then action_required',
    async ({ turned }) => {
      const order = await attemptedOrder(backend);
      const next = newClinkOrderId();
      const events = [
        orderBody('order.failed', order, order.clinkOrderId, { created: T + 1000 }),
        orderBody('order.next_action', order, next, { created: T + 3000 }),
      ];
      await deliverAtOnce(order, turned ? events.toReversed() : events);
      expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({ status: 'failed' });
      expect(await storedAttempt(backend.db.owner, next)).toMatchObject({ status: 'action_required' });
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'pending' });

      await sessionNames(backend, order, next);
      await runToTheEnd(backend, order);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        paymentStatus: 'action_required',
        currentClinkOrderId: next,
        currentAttemptConfirmed: true,
      });
      await expectProcessed(backend, ...events);

      const before = await stateOf(backend, order);
      await deliverAll(backend, orderBody('order.created', order, next, { created: T + 2000 }));
      expect((await stateOf(backend, order)).order).toEqual(before.order);
      expect(await storedAttempt(backend.db.owner, next)).toMatchObject({ attemptCreatedAt: T + 2000 });
    },
  );

  it.each(
    BOTH_WAYS.flatMap((way) =>
      [true, false].map((known) => ({ ...way, known, attempts: known ? 'known' : 'unknown' })),
    ),
  )(
    'C2 success beside the failure of another $attempts attempt, $way: paid, and one fulfilment',
    async ({ turned, known }) => {
      const order = known
        ? await attemptedOrder(backend)
        : { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
      const other = newClinkOrderId();
      if (known) await deliverAll(backend, orderBody('order.created', order, other, { created: T + 500 }));
      const events = [
        orderBody('order.succeeded', order, order.clinkOrderId, { created: T + 1000 }),
        orderBody('order.failed', order, other, { created: T + 1000 }),
      ];
      await deliverAtOnce(order, turned ? events.toReversed() : events);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        paymentStatus: 'paid',
        fulfillmentStatus: 'pending',
        refundablePaidClinkOrderId: order.clinkOrderId,
      });
      expect(await storedAttempt(backend.db.owner, other)).toMatchObject({ status: 'failed' });

      await sessionNames(backend, order, order.clinkOrderId);
      await runToTheEnd(backend, order);
      expect((await tasksOf(backend.db.owner, order.id)).filter((task) => task === 'fulfill')).toHaveLength(1);
      expect(deliveriesOf(backend, order)).toHaveLength(1);
      await expectProcessed(backend, ...events);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'paid' });
    },
  );

  it('C2 the same success under two ids at once: paid, and one fulfilment', async () => {
    const order = await attemptedOrder(backend);
    const events = [1, 2].map(() => orderBody('order.succeeded', order, order.clinkOrderId, { created: T + 1000 }));
    await deliverAtOnce(order, events);
    await runToTheEnd(backend, order);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill']);
    expect(deliveriesOf(backend, order)).toHaveLength(1);
    expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
  });
});

describe('C3 late events after paid', () => {
  const ATTEMPTS: readonly (readonly [string, (order: Attempted) => string])[] = [
    ['the attempt that paid', ({ clinkOrderId }) => clinkOrderId],
    ['another attempt', newClinkOrderId],
  ];
  const STATUSES = [
    { status: 'paid', refunded: 0 },
    { status: 'partial_refunded', refunded: 5 },
    { status: 'refunded', refunded: 19.99 },
  ];
  const late = STATUSES.flatMap((end) =>
    OPEN_ENDS.flatMap(({ type }) => ATTEMPTS.map(([what, attemptOf]) => ({ ...end, type, what, attemptOf }))),
  );

  it.each(late)(
    'C3 $type of $what after $status: no way back, and nothing to do',
    async ({ status, refunded, type, attemptOf }) => {
      const order = await paidOrder(backend);
      await backend.db.owner`
      UPDATE merchant_orders SET payment_status = ${status}, refunded_amount = ${refunded} WHERE id = ${order.id}`;
      const before = await snapshotOf(backend.db.owner, order.id);
      const event = orderBody(type, order, attemptOf(order), { created: T + 5000 });
      await deliverAll(backend, event);
      const after = await snapshotOf(backend.db.owner, order.id);
      expect({ ...after, attempts: [] }).toEqual({ ...before, attempts: [] });
      expect(after.attempts).toEqual(expect.arrayContaining(before.attempts));
      await expectProcessed(backend, event);
    },
  );

  it.each(BOTH_WAYS)('C3 next_action and failed of two attempts beside the success, $way: paid', async ({ turned }) => {
    const order = await attemptedOrder(backend);
    const events = [
      orderBody('order.succeeded', order, order.clinkOrderId, { created: T + 1000 }),
      orderBody('order.next_action', order, order.clinkOrderId, { created: T + 500 }),
      orderBody('order.failed', order, newClinkOrderId(), { created: T + 2000 }),
    ];
    await deliverAtOnce(order, turned ? events.toReversed() : events);
    await sessionNames(backend, order, order.clinkOrderId);
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'paid' });
    expect(deliveriesOf(backend, order)).toHaveLength(1);
    await expectProcessed(backend, ...events);
  });
});

describe('C4 an attempt commits while the session is being queried', () => {
  it('C4 the answer names B, C commits first: the answer is dropped, asked again, and C is not overwritten', async () => {
    const { order, next, event } = await orderToAsk();
    const third = newClinkOrderId();
    const newer = orderBody('order.next_action', order, third, { created: T + 4000 });
    await whileClinkAnswers('reconcile_session', () => deliverAll(backend, newer));

    expect(await lastReason(backend, order)).toBe('local_state_moved');
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'pending',
      currentAttemptConfirmed: false,
    });
    expect((await storedOrder(backend.db.owner, order.id))?.currentClinkOrderId).not.toBe(next);
    expect(await storedAttempt(backend.db.owner, third)).toMatchObject({ status: 'action_required' });
    expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
      { task: 'reconcile_session', status: 'pending', attempt: 1 },
      { task: 'reprocess_webhook' },
    ]);
    for (const { id } of [event, newer]) expect(await eventStatus(backend.db.owner, id)).toBe('pending');

    await sessionNames(backend, order, third);
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'action_required',
      currentClinkOrderId: third,
      currentAttemptConfirmed: true,
    });
    await expectProcessed(backend, event, newer);
  });

  it('C4 the answer names B, a success of C commits first: paid, whatever the session says', async () => {
    const { order, event } = await orderToAsk();
    const third = newClinkOrderId();
    await whileClinkAnswers('reconcile_session', () =>
      deliverAll(backend, orderBody('order.succeeded', order, third, { created: T + 4000 })),
    );
    expect(await lastReason(backend, order)).toBe('local_state_moved');
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      refundablePaidClinkOrderId: third,
    });
    expect(deliveriesOf(backend, order)).toHaveLength(1);
    await expectProcessed(backend, event);
  });

  it('C4 the named attempt itself moves: the answer is dropped, and then it is the new status that counts', async () => {
    const { order, next, event } = await orderToAsk();
    const failed = orderBody('order.failed', order, next, { created: T + 4000 });
    await whileClinkAnswers('reconcile_session', () => deliverAll(backend, failed));
    expect(await lastReason(backend, order)).toBe('local_state_moved');
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'payment_failed',
      currentClinkOrderId: next,
    });
    await expectProcessed(backend, event, failed);
  });
});

describe('C5 the session names what is not ours', () => {
  const FOREIGN: readonly { what: string; namedFor: (order: Order) => Promise<string> }[] = [
    { what: 'an attempt of another order', namedFor: async () => (await attemptedOrder(backend)).clinkOrderId },
    {
      what: 'an attempt stored under another session',
      namedFor: ({ id }) =>
        addAttempt(backend.db.owner, id, { clinkSessionId: 'sess_before', attemptCreatedAt: T - 1 }),
    },
  ];

  /** Asks the session once for each of two waiting events, and holds that one case came of it and no try was used up. */
  async function expectQuarantinedOnce(
    { order, event }: { order: Order; event: Body },
    expected: { reason: string; dedupeKey: string; evidence: object },
  ): Promise<void> {
    const again = orderBody('order.failed', order, newClinkOrderId(), { created: T + 4000 });
    await deliverAll(backend, again);
    const before = await stateOf(backend, order);
    expect(await backend.runOnce('reconcile_session')).toBe(2);

    expect(await stateOf(backend, order)).toEqual(before);
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([expected]);
    await expectProcessed(backend, event, again);
    const { tasks } = await snapshotOf(backend.db.owner, order.id);
    expect(tasks.filter(({ task }) => task === 'reconcile_session')).toMatchObject(
      Array(2).fill({ status: 'succeeded', attempt: 0, last_error: null }),
    );
    expect(tasks.filter(({ task }) => task === 'manual_reconciliation')).toHaveLength(1);

    await runToTheEnd(backend, order);
    expect(await stateOf(backend, order)).toEqual(before);
    expect(await casesOf(backend.db.owner, order.id)).toHaveLength(1);
  }

  it.each(FOREIGN)('C5 $what: one case, the events closed, no try used up', async ({ namedFor }) => {
    const asked = await orderToAsk();
    const { id } = asked.order;
    const named = await namedFor(asked.order);
    const owner = await storedAttempt(backend.db.owner, named);
    await sessionNames(backend, asked.order, named);
    await expectQuarantinedOnce(asked, {
      reason: 'session_order_ownership_conflict',
      dedupeKey: `session_order_conflict:${id}:${named}`,
      evidence: {
        returnedSession: { clinkOrderId: named },
        storedAttempt: { clinkOrderId: named, merchantOrderId: owner?.merchantOrderId },
      },
    });
    expect(await storedAttempt(backend.db.owner, named)).toEqual(owner);
  });

  it('C5 an answer about another reference: one case, the events closed, no try used up', async () => {
    const asked = await orderToAsk();
    const { id, sessionId } = asked.order;
    await backend.clinkSays(`/sessions/${sessionId}`, { merchantReferenceId: 'mo_other' });
    await expectQuarantinedOnce(asked, {
      reason: 'session_response_ownership_conflict',
      dedupeKey: `session_response_conflict:${id}:${sessionId}`,
      evidence: { returnedSession: { merchantOrderId: 'mo_other' }, requestedSessionId: sessionId },
    });
  });
});

describe('C6 the attempt moves while its order is being queried', () => {
  it.each([
    {
      what: 'a newer failure',
      event: { type: 'order.failed', created: T + 2000 },
      answer: 'failed',
      moved: { status: 'failed', lastEventCreated: T + 2000 },
      paymentStatus: 'payment_failed',
    },
    {
      what: 'a newer success',
      event: { type: 'order.succeeded', created: T + 2000 },
      answer: 'success',
      moved: { status: 'succeeded', lastEventCreated: T + 2000 },
      paymentStatus: 'paid',
    },
    {
      what: 'its creation',
      event: { type: 'order.created', created: T },
      answer: 'requires_action',
      moved: { status: 'action_required', lastEventCreated: T + 1000, attemptCreatedAt: T },
      paymentStatus: 'action_required',
    },
  ] as const)(
    'C6 by $what: the stale answer is dropped, and asked for again',
    async ({ event, answer, moved, paymentStatus }) => {
      const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
      const { clinkOrderId } = order;
      const tie = orderBody('order.failed', order, clinkOrderId, { created: T + 1000 });
      await deliverAll(backend, orderBody('order.next_action', order, clinkOrderId, { created: T + 1000 }), tie);
      // What Clink would answer now is neither what is stored nor what is about to be.
      await clinkOrderIs(backend, order, answer === 'requires_action' ? 'failed' : 'requires_action');
      const mover = orderBody(event.type, order, clinkOrderId, { created: event.created });
      await whileClinkAnswers('reconcile_attempt', () => deliverAll(backend, mover));

      expect(await lastReason(backend, order)).toBe('local_state_moved');
      expect(await storedAttempt(backend.db.owner, clinkOrderId)).toMatchObject(moved);
      expect(await eventStatus(backend.db.owner, tie.id)).toBe('pending');
      expect(
        (await tasksOfEvent(backend.db.owner, tie.id)).find(({ task }) => task === 'reconcile_attempt'),
      ).toMatchObject({ status: 'pending', attempt: 1 });

      await clinkOrderIs(backend, order, answer);
      await sessionNames(backend, order, clinkOrderId);
      await runToTheEnd(backend, order);
      expect(await storedAttempt(backend.db.owner, clinkOrderId)).toMatchObject(moved);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus });
      await expectProcessed(backend, tie, mover);
      expect(deliveriesOf(backend, order)).toHaveLength(paymentStatus === 'paid' ? 1 : 0);
    },
  );
});
