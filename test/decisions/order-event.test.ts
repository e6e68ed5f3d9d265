import { describe, expect, it } from 'vitest';
import type { MerchantOrder, PaymentAttempt } from '../../functions/decisions/order.ts';
import { decideOrderEvent, type OrderEventFacts } from '../../functions/decisions/order-event.ts';
import { attempt, merchantOrder, ORDER_ID, orderEvent, paidOrder, T } from '../support/clink-events.ts';

/** An order of ours with its attempts, the first of which is the event's own. */
function facts(order: MerchantOrder | null, ...attempts: readonly PaymentAttempt[]): OrderEventFacts {
  return { order, attempts, storedAttempt: attempts[0] ?? null };
}

/** An order of ours with attempts, none of which is the event's own. */
function unseen(order: MerchantOrder, ...attempts: readonly PaymentAttempt[]): OrderEventFacts {
  return { order, attempts, storedAttempt: null };
}

const open = merchantOrder({ currentClinkOrderId: 'order_A' });
const other = attempt({
  clinkOrderId: 'order_B',
  attemptCreatedAt: T - 100,
  lastEventCreated: T - 100,
  status: 'failed',
});
const failed = attempt({ status: 'failed', lastEventCreated: T + 10, failureCode: 'card_declined' });
const waiting = attempt({ status: 'action_required', lastEventCreated: T + 10 });
const paid = attempt({ status: 'succeeded', lastEventCreated: T + 10 });

describe('order events that are done', () => {
  it.each([
    ['attempt_inserted', 'created', orderEvent('order.created'), unseen(merchantOrder()), 'pending'],
    ['attempt_inserted', 'succeeded before created', orderEvent('order.succeeded'), unseen(merchantOrder()), 'paid'],
    [
      'attempt_inserted',
      'created after another failed',
      orderEvent('order.created'),
      unseen(merchantOrder({ currentClinkOrderId: 'order_B', paymentStatus: 'payment_failed' }), other),
      'pending',
    ],
    [
      'attempt_inserted',
      'a failure beside a payment',
      orderEvent('order.failed'),
      unseen(paidOrder({ currentClinkOrderId: 'order_B' }), other),
      'paid',
    ],
    [
      'attempt_advanced',
      'next_action',
      orderEvent('order.next_action', { created: T + 1 }),
      facts(open, attempt()),
      'action_required',
    ],
    [
      'attempt_advanced',
      'failed',
      orderEvent('order.failed', { created: T + 1 }),
      facts(open, attempt()),
      'payment_failed',
    ],
    [
      'attempt_advanced',
      'succeeded',
      orderEvent('order.succeeded', { created: T + 1 }),
      facts(open, attempt()),
      'paid',
    ],
    [
      'attempt_advanced',
      'in the millisecond of its creation',
      orderEvent('order.failed'),
      facts(open, attempt()),
      'payment_failed',
    ],
    [
      'attempt_time_filled',
      'created comes late',
      orderEvent('order.created'),
      facts(merchantOrder(), attempt({ status: 'failed', attemptCreatedAt: null })),
      'payment_failed',
    ],
    [
      'attempt_time_filled',
      'created comes after success',
      orderEvent('order.created'),
      facts(paidOrder(), attempt({ status: 'succeeded', attemptCreatedAt: null })),
      'paid',
    ],
    [
      'attempt_event_repeated',
      'created again',
      orderEvent('order.created', { created: T + 5 }),
      facts(open, attempt()),
      'pending',
    ],
    [
      'attempt_event_repeated',
      'the same failure',
      orderEvent('order.failed', { created: T + 10 }),
      facts(merchantOrder({ paymentStatus: 'payment_failed' }), failed),
      'payment_failed',
    ],
    [
      'attempt_event_repeated',
      'the same success',
      orderEvent('order.succeeded', { created: T + 10 }),
      facts(paidOrder(), paid),
      'paid',
    ],
    [
      'attempt_event_outdated',
      'an older next_action',
      orderEvent('order.next_action', { created: T + 9 }),
      facts(merchantOrder({ paymentStatus: 'payment_failed' }), failed),
      'payment_failed',
    ],
    [
      'attempt_event_outdated',
      'a failure from before the creation',
      orderEvent('order.failed', { created: T - 1 }),
      facts(open, attempt()),
      'pending',
    ],
    [
      'attempt_event_outdated',
      'an older failure after success',
      orderEvent('order.failed', { created: T + 9 }),
      facts(paidOrder(), paid),
      'paid',
    ],
    [
      'attempt_already_final',
      'next_action after failure',
      orderEvent('order.next_action', { created: T + 11 }),
      facts(merchantOrder({ paymentStatus: 'payment_failed' }), failed),
      'payment_failed',
    ],
    [
      'attempt_already_final',
      'failure after success',
      orderEvent('order.failed', { created: T + 11 }),
      facts(paidOrder(), paid),
      'paid',
    ],
    [
      'attempt_already_final',
      'failure after a refund in part',
      orderEvent('order.failed', { created: T + 11 }),
      facts(paidOrder({ paymentStatus: 'partial_refunded' }), paid),
      'partial_refunded',
    ],
    [
      'attempt_already_final',
      'failure after a refund in full',
      orderEvent('order.failed', { created: T + 11 }),
      facts(paidOrder({ paymentStatus: 'refunded' }), paid),
      'refunded',
    ],
  ])('%s: %s', (reason, _what, event, known, paymentStatusAfter) => {
    const decision = decideOrderEvent(event, known);
    expect(decision).toMatchObject({
      outcome: 'done',
      reason,
      merchantOrderId: ORDER_ID,
      clinkOrderId: 'order_A',
      review: null,
      paymentStatusBefore: known.order?.paymentStatus,
      paymentStatusAfter,
    });
  });

  it('recurring_order_not_ours: a renewal without a reference is nobody’s order here', () => {
    const renewal = orderEvent('order.succeeded', { merchantOrderId: null, recurring: true });
    expect(decideOrderEvent(renewal, facts(null))).toMatchObject({
      outcome: 'done',
      reason: 'recurring_order_not_ours',
    });
  });

  it('a success books the basis, marks the delivery and asks for it once', () => {
    const decision = decideOrderEvent(orderEvent('order.succeeded'), facts(open, attempt()));
    expect(decision.orderPatch).toEqual({
      refundBasis: { clinkOrderId: 'order_A', amount: '19.99', currency: 'USD' },
      paymentStatus: 'paid',
      fulfillmentStatus: 'pending',
    });
    expect(decision.tasks).toEqual([
      {
        task: 'fulfill',
        merchantOrderId: ORDER_ID,
        clinkOrderId: 'order_A',
        payload: {},
        dedupeKey: `fulfill:${ORDER_ID}`,
      },
    ]);
  });

  it('an order that was refunded before it was delivered is not delivered by a late event', () => {
    const refunded = paidOrder({ paymentStatus: 'refunded', fulfillmentStatus: 'none' });
    expect(decideOrderEvent(orderEvent('order.failed', { created: T + 11 }), facts(refunded, paid)).tasks).toEqual([]);
  });

  it('what an event changes of a stored attempt is its status, its time and its failure', () => {
    const decision = decideOrderEvent(orderEvent('order.failed', { created: T + 1 }), facts(open, attempt()));
    expect(decision.attemptPatch).toEqual({
      clinkOrderId: 'order_A',
      patch: { status: 'failed', lastEventCreated: T + 1, failureCode: 'card_declined', failureMessage: 'declined' },
    });
    const late = decideOrderEvent(orderEvent('order.created'), facts(paidOrder(), { ...paid, attemptCreatedAt: null }));
    expect(late.attemptPatch).toEqual({ clinkOrderId: 'order_A', patch: { attemptCreatedAt: T } });
  });

  it('only a creation says when an attempt began', () => {
    const first = (type: 'order.created' | 'order.failed') =>
      decideOrderEvent(orderEvent(type), unseen(merchantOrder())).newAttempt;
    expect(first('order.created')).toMatchObject({ attemptCreatedAt: T, lastEventCreated: T, status: 'pending' });
    expect(first('order.failed')).toMatchObject({ attemptCreatedAt: null, lastEventCreated: T, status: 'failed' });
  });
});

describe('the current attempt', () => {
  const earlier = attempt({ clinkOrderId: 'order_B', attemptCreatedAt: T - 100, lastEventCreated: T - 100 });
  const pointing = { currentClinkOrderId: 'order_B' };

  it.each([
    ['the first attempt', unseen(merchantOrder()), { currentClinkOrderId: 'order_A', currentAttemptConfirmed: false }],
    [
      'a later attempt',
      unseen(merchantOrder(pointing), earlier),
      { currentClinkOrderId: 'order_A', currentAttemptConfirmed: false },
    ],
    [
      'a later attempt after a confirmed one',
      unseen(merchantOrder({ ...pointing, currentAttemptConfirmed: true }), earlier),
      { currentClinkOrderId: 'order_A', currentAttemptConfirmed: false },
    ],
    ['an earlier attempt', unseen(merchantOrder(pointing), { ...earlier, attemptCreatedAt: T + 100 }), {}],
    ['an attempt of the same millisecond', unseen(merchantOrder(pointing), { ...earlier, attemptCreatedAt: T }), {}],
    [
      'an attempt of the same millisecond as a confirmed one',
      unseen(merchantOrder({ ...pointing, currentAttemptConfirmed: true }), { ...earlier, attemptCreatedAt: T }),
      { currentAttemptConfirmed: false },
    ],
    [
      'an earlier attempt than a confirmed one',
      unseen(merchantOrder({ ...pointing, currentAttemptConfirmed: true }), { ...earlier, attemptCreatedAt: T + 100 }),
      {},
    ],
    [
      'a known attempt that is later than the current one',
      facts(merchantOrder(pointing), attempt({ attemptCreatedAt: null }), earlier),
      { currentClinkOrderId: 'order_A', currentAttemptConfirmed: false },
    ],
    ['the current attempt, told once more', facts(open, attempt({ attemptCreatedAt: T - 5 })), {}],
    [
      'a known attempt beside a confirmed one',
      facts(
        merchantOrder({ ...pointing, currentAttemptConfirmed: true }),
        attempt({ attemptCreatedAt: null }),
        earlier,
      ),
      {},
    ],
  ])('after the creation of %s', (_what, known, patch) => {
    const { currentClinkOrderId, currentAttemptConfirmed } = decideOrderEvent(
      orderEvent('order.created'),
      known,
    ).orderPatch;
    expect({
      ...(currentClinkOrderId !== undefined && { currentClinkOrderId }),
      ...(currentAttemptConfirmed !== undefined && { currentAttemptConfirmed }),
    }).toEqual(patch);
  });

  it('gives way to an attempt of a known time while its own is unknown, also to one of the year 1970', () => {
    const known = unseen(merchantOrder(pointing), { ...earlier, attemptCreatedAt: null });
    const { orderPatch } = decideOrderEvent(orderEvent('order.created', { created: 0 }), known);
    expect(orderPatch).toMatchObject({ currentClinkOrderId: 'order_A', currentAttemptConfirmed: false });
  });

  it('stays as it is when an attempt turns up without its creation, confirmed or not', () => {
    const unconfirmed = unseen(merchantOrder(pointing), earlier);
    expect(decideOrderEvent(orderEvent('order.failed'), unconfirmed).orderPatch).toEqual({});
    const named = unseen(merchantOrder({ currentClinkOrderId: 'order_A', currentAttemptConfirmed: true }));
    expect(decideOrderEvent(orderEvent('order.failed'), named).orderPatch).toEqual({ paymentStatus: 'payment_failed' });
  });

  it('is not confirmed any more once an attempt turns up that Clink was not asked about', () => {
    const known = unseen(merchantOrder({ ...pointing, currentAttemptConfirmed: true }), earlier);
    expect(decideOrderEvent(orderEvent('order.failed'), known).orderPatch).toEqual({ currentAttemptConfirmed: false });
  });
});

describe('order events that wait', () => {
  it.each([
    ['reference_missing', 'no reference', orderEvent('order.created', { merchantOrderId: null }), facts(null), []],
    ['order_unknown', 'a reference to no order of ours', orderEvent('order.created'), facts(null), []],
    ['order_unknown', 'a renewal with a reference', orderEvent('order.created', { recurring: true }), facts(null), []],
    [
      'session_not_saved_yet',
      'our session id is not saved',
      orderEvent('order.created'),
      facts(merchantOrder({ clinkSessionId: null })),
      [],
    ],
    [
      'attempt_order_ambiguous',
      'its creation is missing',
      orderEvent('order.failed'),
      unseen(merchantOrder()),
      ['reconcile_session'],
    ],
    [
      'attempt_order_ambiguous',
      'created in the same millisecond as another',
      orderEvent('order.created', { created: T - 100 }),
      unseen(open, other),
      ['reconcile_session'],
    ],
    [
      'attempt_status_tie',
      'two statuses in one millisecond',
      orderEvent('order.failed', { created: T + 10 }),
      facts(open, waiting),
      ['reconcile_attempt'],
    ],
    [
      'attempt_status_tie',
      'success and failure in one millisecond',
      orderEvent('order.succeeded', { created: T + 10 }),
      facts(open, failed),
      ['reconcile_attempt'],
    ],
    [
      'attempt_status_tie',
      'failure in the millisecond of a success',
      orderEvent('order.failed', { created: T + 10 }),
      facts(paidOrder({ fulfillmentStatus: 'fulfilled' }), paid),
      ['reconcile_attempt'],
    ],
    [
      'success_contradicts_status',
      'success older than the failure',
      orderEvent('order.succeeded', { created: T + 9 }),
      facts(open, failed),
      ['reconcile_attempt'],
    ],
    [
      'success_contradicts_status',
      'success newer than the failure',
      orderEvent('order.succeeded', { created: T + 11 }),
      facts(open, failed),
      ['reconcile_attempt'],
    ],
    [
      'success_contradicts_status',
      'success older than next_action',
      orderEvent('order.succeeded', { created: T + 9 }),
      facts(open, waiting),
      ['reconcile_attempt'],
    ],
  ])('%s: %s', (reason, _what, event, known, tasks) => {
    const decision = decideOrderEvent(event, known);
    expect(decision).toMatchObject({ outcome: 'deferred', reason, clinkOrderId: 'order_A', review: null });
    expect(decision.tasks.map(({ task }) => task)).toEqual(tasks);
    expect(decision.orderPatch.refundBasis).toBeUndefined();
  });

  it('each ambiguity of an attempt is a question of its own', () => {
    const event = orderEvent('order.failed', { created: T + 10 });
    expect(decideOrderEvent(event, facts(open, waiting)).tasks).toMatchObject([
      { dedupeKey: `reconcile_attempt:order_A:${event.id}` },
    ]);
  });

  it('an old failure does not outlast an attempt whose place in time is unknown', () => {
    const known = unseen(merchantOrder({ paymentStatus: 'payment_failed', currentClinkOrderId: 'order_B' }), other);
    const decision = decideOrderEvent(orderEvent('order.next_action'), known);
    expect(decision).toMatchObject({ reason: 'attempt_order_ambiguous', paymentStatusAfter: 'pending' });
  });
});

describe('order events for a person', () => {
  const foreign = attempt({ merchantOrderId: 'mo_2', clinkSessionId: 'sess_2' });
  const ownership = `order_ownership_conflict:${ORDER_ID}:order_A`;
  const basis = `refund_basis_conflict:${ORDER_ID}:order_A`;
  const success = orderEvent('order.succeeded', { created: T + 1 });
  const sessionMissing = orderEvent('order.failed', { clinkSessionId: null });
  const paidElsewhere = paidOrder({ refundBasis: { clinkOrderId: 'order_B', amount: '19.99', currency: 'USD' } });

  it.each([
    ['order_event_missing_required_identifier', 'no session', sessionMissing, unseen(merchantOrder()), ownership],
    [
      'order_event_missing_required_identifier',
      'no time',
      orderEvent('order.failed', { created: null }),
      unseen(merchantOrder()),
      ownership,
    ],
    [
      'order_event_session_mismatch',
      'a foreign session',
      orderEvent('order.succeeded', { clinkSessionId: 'sess_2' }),
      unseen(merchantOrder()),
      ownership,
    ],
    [
      'payment_attempt_ownership_conflict',
      'another order owns it',
      success,
      { ...unseen(merchantOrder()), storedAttempt: foreign },
      ownership,
    ],
    [
      'payment_attempt_ownership_conflict',
      'another order owns it under our session',
      success,
      { ...unseen(merchantOrder()), storedAttempt: attempt({ merchantOrderId: 'mo_2' }) },
      ownership,
    ],
    [
      'payment_attempt_ownership_conflict',
      'another session owns it',
      success,
      facts(open, attempt({ clinkSessionId: 'sess_2' })),
      ownership,
    ],
    ['invalid_refund_payment_basis', 'no amount', { ...success, amountTotal: null }, facts(open, attempt()), basis],
    [
      'invalid_refund_payment_basis',
      'finer than a cent',
      { ...success, amountTotal: '19.999' },
      facts(open, attempt()),
      basis,
    ],
    [
      'invalid_refund_payment_basis',
      'no currency',
      { ...success, paymentCurrency: null },
      facts(open, attempt()),
      basis,
    ],
    ['refund_payment_basis_conflict', 'another attempt was paid', success, facts(paidElsewhere, attempt()), basis],
    [
      'refund_payment_basis_conflict',
      'another amount',
      { ...success, created: T + 10, amountTotal: '20' },
      facts(paidOrder(), paid),
      basis,
    ],
    [
      'refund_payment_basis_conflict',
      'another currency',
      { ...success, created: T + 10, paymentCurrency: 'EUR' },
      facts(paidOrder(), paid),
      basis,
    ],
  ])('%s: %s', (reason, _what, event, known, dedupeKey) => {
    const decision = decideOrderEvent(event, known);
    expect(decision).toMatchObject({
      outcome: 'manual_review',
      reason,
      review: { reason, dedupeKey, merchantOrderId: ORDER_ID, clinkOrderId: 'order_A', refundId: null },
    });
    expect(decision.orderPatch).toEqual({});
    expect(decision.tasks).toMatchObject([
      {
        task: 'manual_reconciliation',
        payload: { caseKey: dedupeKey },
        dedupeKey: `manual_reconciliation:${dedupeKey}`,
      },
    ]);
    expect(decision.tasks).toHaveLength(1);
  });

  it('an event that names no attempt is one case per event', () => {
    const event = orderEvent('order.failed', { clinkOrderId: null });
    expect(decideOrderEvent(event, unseen(merchantOrder())).review).toMatchObject({
      reason: 'order_event_missing_required_identifier',
      dedupeKey: `order_ownership_conflict:${ORDER_ID}:event:${event.id}`,
    });
  });

  it('a conflict of ownership leaves the attempt alone; one of money keeps that it has succeeded', () => {
    const ofOwner = decideOrderEvent(success, { ...unseen(merchantOrder()), storedAttempt: foreign });
    const ofMoney = decideOrderEvent(success, facts(paidElsewhere, attempt()));
    expect([ofOwner.newAttempt, ofOwner.attemptPatch]).toEqual([null, null]);
    expect(ofMoney.attemptPatch?.patch).toMatchObject({ status: 'succeeded' });
  });

  it('a success whose money cannot be booked takes back the word that a payment had failed', () => {
    const unread = orderEvent('order.succeeded', { created: T + 1, amountTotal: null });
    const refused = merchantOrder({ currentClinkOrderId: 'order_A', paymentStatus: 'payment_failed' });
    expect(decideOrderEvent(unread, facts(refused, attempt()))).toMatchObject({
      reason: 'invalid_refund_payment_basis',
      paymentStatusBefore: 'payment_failed',
      paymentStatusAfter: 'pending',
    });
  });

  it('money that could not be booked keeps the shopper from paying again', () => {
    const unbooked = attempt({ status: 'succeeded', clinkOrderId: 'order_B' });
    const decision = decideOrderEvent(orderEvent('order.failed', { created: T + 1 }), facts(open, attempt(), unbooked));
    expect(decision).toMatchObject({ reason: 'attempt_advanced', paymentStatusAfter: 'pending', tasks: [] });
  });
});
