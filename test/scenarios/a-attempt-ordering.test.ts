import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OPEN_ENDS, ORDER_EVENTS, orderAfter, sessionNames } from '../support/attempts.ts';
import { type Backend, type Order, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { deliveriesOf, expectProcessed, lastReason, runToTheEnd, stateOf } from '../support/outcome.ts';
import {
  type Attempted,
  attemptedOrder,
  clinkOrderIs,
  deliverAll,
  newClinkOrderId,
  paidOrder,
  succeeded,
} from '../support/payments.ts';
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

const FULFILLED_ONCE = { paymentStatus: 'paid', fulfillmentStatus: 'fulfilled' };

/** An order whose attempt has no creation event yet: nothing but a name for it. */
async function orderToAttempt(): Promise<Attempted> {
  return { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
}

describe('A1 a status of an attempt whose creation is not known, and no confirmed current attempt', () => {
  const before: readonly (readonly [string, () => Promise<Order>])[] = [
    ['nothing', () => backend.checkout()],
    ['a pending attempt', () => attemptedOrder(backend)],
    ['an attempt that asked for action', () => orderAfter(backend, 'order.next_action')],
    ['a failed attempt', () => orderAfter(backend, 'order.failed')],
  ];
  it.each(before.flatMap(([what, prepare]) => OPEN_ENDS.map((end) => ({ ...end, what, prepare }))))(
    'A1 $type after $what: stored, the order pending, one question to the session, the event waits',
    async ({ type, attemptStatus, prepare }) => {
      const order = await prepare();
      const clinkOrderId = newClinkOrderId();
      const event = orderBody(type, order, clinkOrderId, { created: T + 3000 });
      await deliverAll(backend, event, event);

      expect(await storedAttempt(backend.db.owner, clinkOrderId)).toEqual({
        merchantOrderId: order.id,
        status: attemptStatus,
        attemptCreatedAt: null,
        lastEventCreated: T + 3000,
        failureCode: type === 'order.failed' ? 'card_declined' : null,
        failureMessage: type === 'order.failed' ? 'The card was declined.' : null,
      });
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        paymentStatus: 'pending',
        fulfillmentStatus: 'none',
        currentAttemptConfirmed: false,
        refundablePaidAmount: null,
      });
      expect(await tasksOf(backend.db.owner, order.id)).toEqual(['reconcile_session', 'reprocess_webhook']);
      expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
      expect(await lastReason(backend, order)).toBe('attempt_order_ambiguous');
    },
  );
});

describe('A2 and A3 success before creation', () => {
  const CREATIONS = [
    ['an earlier time', T],
    ['the same millisecond', T + 1000],
    ['a later time', T + 2000],
  ] as const;

  it('A2 success before created: paid with its basis, processed, and one fulfilment', async () => {
    const order = await orderToAttempt();
    const success = succeeded(order);
    await deliverAll(backend, success);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      fulfillmentStatus: 'pending',
      refundablePaidClinkOrderId: order.clinkOrderId,
      refundablePaidAmount: '19.99',
      refundablePaidCurrency: 'USD',
    });
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill']);
    expect(await lastReason(backend, order)).toBe('attempt_inserted');
    await expectProcessed(backend, success);

    const created = orderBody('order.created', order, order.clinkOrderId, { created: T });
    await deliverAll(backend, created);
    await runToTheEnd(backend, order);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill']);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject(FULFILLED_ONCE);
    expect(deliveriesOf(backend, order)).toHaveLength(1);
    await expectProcessed(backend, created);
  });

  it.each(CREATIONS)('A3 created late with %s, after success: only its time is filled in', async (_when, time) => {
    const order = await orderToAttempt();
    await deliverAll(backend, succeeded(order));
    const before = await snapshotOf(backend.db.owner, order.id);

    const created = orderBody('order.created', order, order.clinkOrderId, { created: time });
    await deliverAll(backend, created);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual({
      ...before,
      order: { ...before.order, current_clink_order_id: order.clinkOrderId },
      attempts: [{ ...before.attempts[0], attempt_created_at: time }],
    });
    expect(await lastReason(backend, order)).toBe('attempt_time_filled');
    await expectProcessed(backend, created);
  });

  it('A3 created once more with another time: the first one stays', async () => {
    const order = await paidOrder(backend);
    const before = await snapshotOf(backend.db.owner, order.id);
    const again = orderBody('order.created', order, order.clinkOrderId, { created: T + 500 });
    await deliverAll(backend, again);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    expect(await lastReason(backend, order)).toBe('attempt_event_repeated');
    await expectProcessed(backend, again);
  });
});

describe('A4 to A6 which attempt is the current one', () => {
  /** A failed attempt, then the status of another one whose creation is not known. */
  async function unorderedAfterFailure(type: 'order.next_action' | 'order.failed' = 'order.next_action') {
    const order = await orderAfter(backend, 'order.failed');
    const next = { ...order, clinkOrderId: newClinkOrderId() };
    const event = orderBody(type, next, next.clinkOrderId, { created: T + 3000 });
    await deliverAll(backend, event);
    return { order, next, event };
  }

  /** The same, once the session has named the second attempt. */
  async function confirmedOrder() {
    const { order, next, event } = await unorderedAfterFailure();
    await sessionNames(backend, order, next.clinkOrderId);
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ currentAttemptConfirmed: true });
    return { order, next, event };
  }

  it('A4 failed, then next_action of an unordered attempt: pending, until the session names it', async () => {
    const { order, next, event } = await unorderedAfterFailure();
    expect(await storedAttempt(backend.db.owner, next.clinkOrderId)).toMatchObject({ status: 'action_required' });
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'pending' });
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['reconcile_session', 'reprocess_webhook']);

    await sessionNames(backend, order, next.clinkOrderId);
    await runToTheEnd(backend, order);
    expect(backend.gate.calls.at(-1)?.path).toBe(`/api/checkout/session/${order.sessionId}`);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'action_required',
      currentClinkOrderId: next.clinkOrderId,
    });
    await expectProcessed(backend, event);
  });

  it.each(OPEN_ENDS)(
    'A5 the session names the unordered attempt with $type: confirmed current, and the order is $paymentStatus',
    async ({ type, attemptStatus, paymentStatus }) => {
      const { order, next, event } = await unorderedAfterFailure(type);
      await sessionNames(backend, order, next.clinkOrderId);
      expect(await backend.runOnce('reconcile_session')).toBe(1);

      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        paymentStatus,
        fulfillmentStatus: 'none',
        currentClinkOrderId: next.clinkOrderId,
        currentAttemptConfirmed: true,
      });
      expect(await storedAttempt(backend.db.owner, next.clinkOrderId)).toMatchObject({
        status: attemptStatus,
        attemptCreatedAt: null,
      });
      expect(await lastReason(backend, order)).toBe('current_attempt_confirmed_by_session');
      await expectProcessed(backend, event);

      const before = await stateOf(backend, order);
      await runToTheEnd(backend, order);
      expect(await stateOf(backend, order)).toEqual(before);
      expect(await tasksOf(backend.db.owner, order.id)).toEqual(['reconcile_session', 'reprocess_webhook']);
    },
  );

  it('A5 the session names the old attempt: its failure counts again', async () => {
    const { order, event } = await unorderedAfterFailure();
    await sessionNames(backend, order, order.clinkOrderId);
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'payment_failed',
      currentClinkOrderId: order.clinkOrderId,
      currentAttemptConfirmed: true,
    });
    await expectProcessed(backend, event);
  });

  it.each([
    ['no attempt', null, 'session_without_current_attempt'],
    ['an attempt that is not known here', 'order_unknown', 'session_attempt_missing'],
  ])('A5 the session names %s: nothing is settled, and it is asked again', async (_what, named, reason) => {
    const { order, event } = await unorderedAfterFailure();
    await sessionNames(backend, order, named);
    const before = await stateOf(backend, order);
    await backend.runOnce('reconcile_session');
    expect(await stateOf(backend, order)).toEqual(before);
    expect(await lastReason(backend, order)).toBe(reason);
    expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
    expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
      { task: 'reconcile_session', status: 'pending', attempt: 1 },
      { task: 'reprocess_webhook' },
    ]);
  });

  it.each([{ type: 'order.created', paymentStatus: 'pending' } as const, ...OPEN_ENDS])(
    'A6 $type of a new attempt after the session named another: pending, and the session is asked afresh',
    async ({ type, paymentStatus }) => {
      const { order } = await confirmedOrder();
      const third = newClinkOrderId();
      const event = orderBody(type, order, third, { created: T + 4000 });
      await deliverAll(backend, event);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        paymentStatus: 'pending',
        currentAttemptConfirmed: false,
      });
      expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
        { task: 'reconcile_session', status: 'pending', dedupeKey: `reconcile_session:${order.id}:${event.id}` },
        { task: 'reprocess_webhook', status: 'pending' },
      ]);
      expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');

      await sessionNames(backend, order, third);
      await runToTheEnd(backend, order);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
        paymentStatus,
        currentClinkOrderId: third,
        currentAttemptConfirmed: true,
      });
      await expectProcessed(backend, event);
    },
  );

  it.each([
    ['earlier than the other attempt', T - 1000],
    ['later', T + 2000],
  ])(
    'A6 created of the attempt that the session named comes late, with a time %s: only filled in',
    async (_when, time) => {
      const { order, next } = await confirmedOrder();
      const before = await stateOf(backend, order);
      const created = orderBody('order.created', order, next.clinkOrderId, { created: time });
      await deliverAll(backend, created);
      expect((await stateOf(backend, order)).order).toEqual(before.order);
      expect(await storedAttempt(backend.db.owner, next.clinkOrderId)).toMatchObject({
        status: 'action_required',
        attemptCreatedAt: time,
      });
      await expectProcessed(backend, created);
    },
  );
});

describe('A7 two created events with equal times', () => {
  it.each(
    ['the one that came first', 'the one that came last'].flatMap((named, place) =>
      [true, false].map((inOrder) => ({ named, place, inOrder, ids: inOrder ? 'rising' : 'falling' })),
    ),
  )('A7 with ids $ids, and the session names $named: it alone decides', async ({ place, inOrder }) => {
    const order = await backend.checkout();
    const ids = [newClinkOrderId(), newClinkOrderId()].sort();
    const [first = '', last = ''] = inOrder ? ids : ids.toReversed();
    await deliverAll(backend, orderBody('order.created', order, first));
    const tie = orderBody('order.created', order, last);
    await deliverAll(backend, tie);

    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'pending',
      currentAttemptConfirmed: false,
    });
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['reconcile_session', 'reprocess_webhook']);
    expect(await eventStatus(backend.db.owner, tie.id)).toBe('pending');
    const statuses = [
      orderBody('order.next_action', order, first, { created: T + 1000 }),
      orderBody('order.failed', order, last, { created: T + 1000 }),
    ];
    await deliverAll(backend, ...statuses);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'pending' });

    await sessionNames(backend, order, place === 0 ? first : last);
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: place === 0 ? 'action_required' : 'payment_failed',
      currentClinkOrderId: place === 0 ? first : last,
      currentAttemptConfirmed: true,
    });
    await expectProcessed(backend, tie, ...statuses);
  });

  it('A7 a tie with an attempt that the session had named: it is asked again', async () => {
    const order = await backend.checkout();
    const named = newClinkOrderId();
    await deliverAll(backend, orderBody('order.next_action', order, named, { created: T + 1000 }));
    await sessionNames(backend, order, named);
    await runToTheEnd(backend, order);
    await deliverAll(backend, orderBody('order.created', order, named));

    const tie = orderBody('order.created', order, newClinkOrderId());
    await deliverAll(backend, tie);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'pending',
      currentAttemptConfirmed: false,
    });
    expect(await tasksOfEvent(backend.db.owner, tie.id)).toMatchObject([
      { task: 'reconcile_session' },
      { task: 'reprocess_webhook' },
    ]);
  });
});

const STATUS_EVENTS = ['order.next_action', 'order.failed', 'order.succeeded'] as const;
const ANSWERS = [
  { answer: 'requires_action', attemptStatus: 'action_required', paymentStatus: 'action_required' },
  { answer: 'failed', attemptStatus: 'failed', paymentStatus: 'payment_failed' },
  { answer: 'success', attemptStatus: 'succeeded', paymentStatus: 'paid' },
] as const;
const MONEY = { requires_action: false, failed: false, success: true } as const;

describe('A8 the order query decides what event times cannot', () => {
  const ties = STATUS_EVENTS.flatMap((first) =>
    STATUS_EVENTS.filter((second) => second !== first).map((second) => ({ first, second })),
  );
  const settled = ties.flatMap((tie) =>
    ANSWERS.filter(({ answer }) => tie.first !== 'order.succeeded' || MONEY[answer]).map((says) => ({
      ...tie,
      ...says,
    })),
  );

  /** Delivers an event that the attempt's times cannot place, and holds that it changed nothing but raised the question. */
  async function expectQuestion(order: Attempted, event: Body, reason: string): Promise<void> {
    const before = await stateOf(backend, order);
    await deliverAll(backend, event, event);
    expect(await stateOf(backend, order)).toEqual(before);
    expect(await lastReason(backend, order)).toBe(reason);
    expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
    expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
      { task: 'reconcile_attempt', dedupeKey: `reconcile_attempt:${order.clinkOrderId}:${event.id}` },
      { task: 'reprocess_webhook' },
    ]);
  }

  async function expectAnswerCounts(order: Attempted, event: Body, says: (typeof ANSWERS)[number]): Promise<void> {
    await clinkOrderIs(backend, order, says.answer);
    expect(await backend.runOnce('reconcile_attempt')).toBe(1);
    expect(backend.gate.calls.at(-1)?.path).toBe(`/api/order/${order.clinkOrderId}`);
    await expectProcessed(backend, event);
    await runToTheEnd(backend, order);
    expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({ status: says.attemptStatus });
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: says.paymentStatus,
      refundablePaidAmount: MONEY[says.answer] ? '19.99' : null,
    });
    expect(deliveriesOf(backend, order)).toHaveLength(MONEY[says.answer] ? 1 : 0);
    expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
  }

  it.each(settled)(
    'A8 $first and $second at one millisecond, the query says $answer',
    async ({ first, second, ...says }) => {
      const order = await orderAfter(backend, first);
      const tie = orderBody(second, order, order.clinkOrderId, { created: T + 1000 });
      await expectQuestion(order, tie, 'attempt_status_tie');
      await expectAnswerCounts(order, tie, says);
    },
  );

  it.each(
    ties
      .filter(({ first }) => first === 'order.succeeded')
      .flatMap((tie) => ['requires_action', 'failed'].map((answer) => ({ ...tie, answer }))),
  )(
    'A8 $second at the millisecond of a success that the query denies with $answer: still paid, and a case',
    async ({ second, answer }) => {
      const order = await paidOrder(backend);
      const tie = orderBody(second, order, order.clinkOrderId, { created: T + 1000 });
      await expectQuestion(order, tie, 'attempt_status_tie');
      const before = await stateOf(backend, order);
      await clinkOrderIs(backend, order, answer);
      await backend.runOnce('reconcile_attempt');
      expect(await stateOf(backend, order)).toEqual(before);
      expect(await casesOf(backend.db.owner, order.id)).toMatchObject([{ reason: 'order_query_contradicts_success' }]);
      await expectProcessed(backend, tie);
    },
  );

  it.each(
    [
      { what: 'that is older than a next_action', first: 'order.next_action', created: T + 500 } as const,
      { what: 'that is older than a failure', first: 'order.failed', created: T + 500 } as const,
      { what: 'that is newer than a failure', first: 'order.failed', created: T + 2000 } as const,
    ].flatMap((contradiction) => ANSWERS.map((says) => ({ ...contradiction, ...says }))),
  )('A8 a success $what, the query says $answer', async ({ first, created, ...says }) => {
    const order = await orderAfter(backend, first);
    const success = orderBody('order.succeeded', order, order.clinkOrderId, { created });
    await expectQuestion(order, success, 'success_contradicts_status');
    await expectAnswerCounts(order, success, says);
  });

  it('A8 a later tie of the same attempt: a question of its own', async () => {
    const order = await orderAfter(backend, 'order.next_action');
    const ties = [1, 2].map(() => orderBody('order.failed', order, order.clinkOrderId, { created: T + 1000 }));
    for (const tie of ties) await expectQuestion(order, tie, 'attempt_status_tie');
    await clinkOrderIs(backend, order, 'failed');
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'payment_failed' });
    await expectProcessed(backend, ...ties);
  });

  it.each(['created', 'pending', 'on_hold', null])('A8 the query says %s: nothing is settled yet', async (answer) => {
    const order = await orderAfter(backend, 'order.next_action');
    const tie = orderBody('order.failed', order, order.clinkOrderId, { created: T + 1000 });
    await deliverAll(backend, tie);
    const before = await stateOf(backend, order);
    await backend.clinkSays(`/orders/${order.clinkOrderId}`, {
      merchantReferenceId: order.id,
      sessionId: order.sessionId,
      status: answer,
    });
    await backend.runOnce('reconcile_attempt');
    expect(await stateOf(backend, order)).toEqual(before);
    expect(await lastReason(backend, order)).toBe('order_not_settled');
    expect(await eventStatus(backend.db.owner, tie.id)).toBe('pending');
  });

  it.each(STATUS_EVENTS)('A8 the same %s under another id: no tie', async (type) => {
    const order = await orderAfter(backend, type);
    const before = await snapshotOf(backend.db.owner, order.id);
    const again = orderBody(type, order, order.clinkOrderId, { created: T + 1000 });
    await deliverAll(backend, again);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    expect(await lastReason(backend, order)).toBe('attempt_event_repeated');
    await expectProcessed(backend, again);
  });

  it.each(STATUS_EVENTS.flatMap((type) => ['before', 'after'].map((place) => ({ type, place }))))(
    'A8 created $place $type at one millisecond: no tie, creation comes first',
    async ({ type, place }) => {
      const order = await orderToAttempt();
      const events = [
        orderBody('order.created', order, order.clinkOrderId),
        orderBody(type, order, order.clinkOrderId),
      ];
      await deliverAll(backend, ...(place === 'before' ? events : events.toReversed()));
      await backend.runDue();
      const end = [...OPEN_ENDS, { type: 'order.succeeded', attemptStatus: 'succeeded', paymentStatus: 'paid' }].find(
        (candidate) => candidate.type === type,
      );
      expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({
        status: end?.attemptStatus,
        attemptCreatedAt: T,
      });
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: end?.paymentStatus });
      expect(await tasksOf(backend.db.owner, order.id)).not.toContain('reconcile_attempt');
      await expectProcessed(backend, ...events);
    },
  );
});

describe('A9 failure details follow the order query', () => {
  it.each([
    {
      answer: 'requires_action',
      doubt: 'order.next_action',
      attempt: { status: 'action_required' },
      paymentStatus: 'action_required',
    },
    { answer: 'success', doubt: 'order.succeeded', attempt: { status: 'succeeded' }, paymentStatus: 'paid' },
  ] as const)(
    'A9 failed by one query, $answer by a later one: the details are written, then cleared',
    async ({ answer, doubt, attempt, paymentStatus }) => {
      const order = await orderAfter(backend, 'order.next_action');
      const first = orderBody('order.failed', order, order.clinkOrderId, { created: T + 1000 });
      await deliverAll(backend, first);
      await clinkOrderIs(backend, order, 'failed');
      const failure = { failureCode: 'expired_card', failureMessage: 'The card has expired.' };
      await backend.clinkSays(`/orders/${order.clinkOrderId}`, failure);
      await runToTheEnd(backend, order);
      expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({ status: 'failed', ...failure });
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'payment_failed' });

      const second = orderBody(doubt, order, order.clinkOrderId, { created: T + 1000 });
      await deliverAll(backend, second);
      // The double still answers with the failure's details: a status that is no failure has none.
      await clinkOrderIs(backend, order, answer);
      await runToTheEnd(backend, order);
      expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({
        ...attempt,
        failureCode: null,
        failureMessage: null,
      });
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus });
      await expectProcessed(backend, first, second);
    },
  );
});

describe('A10 a second success', () => {
  it.each([
    { what: 'of another attempt', other: true, payment: {} },
    { what: 'of another attempt with another amount', other: true, payment: { amountTotal: 5 } },
    { what: 'of another attempt in another currency', other: true, payment: { paymentCurrency: 'EUR' } },
    { what: 'of the same attempt with another amount', other: false, payment: { amountTotal: 5 } },
    { what: 'of the same attempt in another currency', other: false, payment: { paymentCurrency: 'EUR' } },
  ])('A10 $what: the basis stays, its attempt and one case commit', async ({ other, payment }) => {
    const order = await paidOrder(backend);
    const clinkOrderId = other ? newClinkOrderId() : order.clinkOrderId;
    const before = await stateOf(backend, order);
    const events = [1, 2].map(() =>
      orderBody('order.succeeded', order, clinkOrderId, { created: T + 2000, ...payment }),
    );
    await deliverAll(backend, ...events, ...events);

    const after = await stateOf(backend, order);
    expect(after.order).toEqual(before.order);
    expect(after.attempts).toEqual(expect.arrayContaining(before.attempts));
    expect(after.attempts).toHaveLength(other ? 2 : 1);
    expect(await storedAttempt(backend.db.owner, clinkOrderId)).toMatchObject({ status: 'succeeded' });
    await expectProcessed(backend, ...events);
    const incoming = { amountTotal: 19.99, paymentCurrency: 'USD', ...payment };
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([
      {
        dedupeKey: `refund_basis_conflict:${order.id}:${clinkOrderId}`,
        reason: 'refund_payment_basis_conflict',
        evidence: {
          storedBasis: { clinkOrderId: order.clinkOrderId, amount: '19.99', currency: 'USD' },
          incomingPayment: { clinkOrderId, amount: `${incoming.amountTotal}`, currency: incoming.paymentCurrency },
        },
      },
    ]);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'manual_reconciliation']);
    await runToTheEnd(backend, order);
    expect(deliveriesOf(backend, order)).toHaveLength(1);
  });

  it('A10 the same payment told again in other letters and digits: no conflict', async () => {
    const order = await paidOrder(backend);
    const before = await snapshotOf(backend.db.owner, order.id);
    const again = orderBody('order.succeeded', order, order.clinkOrderId, {
      created: T + 2000,
      amountTotal: '19.990',
      paymentCurrency: 'usd',
    });
    await deliverAll(backend, again);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    await expectProcessed(backend, again);
  });

  it.each([
    ['no amount', { amountTotal: undefined }],
    ['a negative amount', { amountTotal: -19.99 }],
    ['an amount that is no number', { amountTotal: 'NaN' }],
    ['more decimals than the currency has', { amountTotal: 19.999 }],
    ['no currency', { paymentCurrency: undefined }],
  ])('A10 a first success with %s: a case, and pending until the payment can be booked', async (_what, payment) => {
    const order = await attemptedOrder(backend);
    const unusable = orderBody('order.succeeded', order, order.clinkOrderId, { created: T + 1000, ...payment });
    await deliverAll(backend, unusable);
    expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({ status: 'succeeded' });
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'pending',
      fulfillmentStatus: 'none',
      refundablePaidClinkOrderId: null,
    });
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([{ reason: 'invalid_refund_payment_basis' }]);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['manual_reconciliation']);
    await expectProcessed(backend, unusable);

    await deliverAll(backend, succeeded(order));
    await runToTheEnd(backend, order);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject(FULFILLED_ONCE);
    expect(deliveriesOf(backend, order)).toHaveLength(1);
  });
});

describe('A11 an event that is not of our session', () => {
  /** Delivers two events that say the same, and holds that they left one case and one task for it, and no more. */
  async function expectOneCase(order: Order, events: readonly Body[], expected: object): Promise<void> {
    const before = await stateOf(backend, order);
    await deliverAll(backend, ...events, ...events);
    expect(await stateOf(backend, order)).toEqual(before);
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([expected]);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['manual_reconciliation']);
    await expectProcessed(backend, ...events);
  }

  it.each(ORDER_EVENTS)('A11 %s with our reference and a foreign session: one case that names both', async (type) => {
    const order = await backend.checkout();
    const clinkOrderId = newClinkOrderId();
    const foreign = [1, 2].map(() => orderBody(type, order, clinkOrderId, { sessionId: 'sess_other' }));
    await expectOneCase(order, foreign, {
      dedupeKey: `order_ownership_conflict:${order.id}:${clinkOrderId}`,
      reason: 'order_event_session_mismatch',
      evidence: {
        incoming: { clinkSessionId: 'sess_other' },
        storedMerchantOrder: { clinkSessionId: order.sessionId },
        storedAttempt: null,
      },
    });
    expect(await storedAttempt(backend.db.owner, clinkOrderId)).toBeUndefined();
  });

  it.each([
    ['no session', { sessionId: undefined }],
    ['a session of "null"', { sessionId: 'null' }],
    ['no order id', { orderId: null }],
    ['no usable time', { created: 'yesterday' }],
  ])('A11 a success with our reference and %s: one case, nothing paid', async (_what, fields) => {
    const order = await attemptedOrder(backend);
    const incomplete = orderBody('order.succeeded', order, order.clinkOrderId, fields);
    await expectOneCase(order, [incomplete], { reason: 'order_event_missing_required_identifier' });
  });
});
