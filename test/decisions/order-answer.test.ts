import { describe, expect, it } from 'vitest';
import type { MerchantOrder, PaymentAttempt } from '../../functions/decisions/order.ts';
import { decideOrderAnswer, type OrderAnswerFacts } from '../../functions/decisions/order-answer.ts';
import { attempt, merchantOrder, ORDER_ID, orderAnswer, paidOrder, T } from '../support/clink-events.ts';

const EVENT_ID = 'event_1';
const open = merchantOrder({ currentClinkOrderId: 'order_A' });
const tied = attempt({ status: 'action_required', lastEventCreated: T + 10 });
const succeeded = attempt({ status: 'succeeded', lastEventCreated: T + 10 });

/** Facts in which nothing has moved since Clink was asked about the first of the attempts. */
function still(order: MerchantOrder, snapshot: PaymentAttempt, ...others: readonly PaymentAttempt[]): OrderAnswerFacts {
  return { order, attempts: [snapshot, ...others], snapshot };
}

describe('answers about an attempt that settle it', () => {
  const failure = { failureCode: 'card_declined', failureMessage: 'declined' };

  it.each([
    [
      'success',
      orderAnswer('success'),
      still(open, tied),
      { status: 'succeeded', failureCode: null, failureMessage: null },
      'paid',
      ['fulfill'],
    ],
    [
      'failed',
      orderAnswer('failed', failure),
      still(open, tied),
      { status: 'failed', ...failure },
      'payment_failed',
      [],
    ],
    [
      'a failure with another code',
      orderAnswer('failed', failure),
      still(open, attempt({ status: 'failed', ...failure, failureCode: 'expired_card' })),
      { status: 'failed', ...failure },
      'payment_failed',
      [],
    ],
    [
      'a failure in other words',
      orderAnswer('failed', failure),
      still(open, attempt({ status: 'failed', ...failure, failureMessage: null })),
      { status: 'failed', ...failure },
      'payment_failed',
      [],
    ],
    [
      'requires_action after a failure',
      orderAnswer('requires_action', failure),
      still(open, attempt({ status: 'failed', ...failure })),
      { status: 'action_required', failureCode: null, failureMessage: null },
      'action_required',
      [],
    ],
    [
      'success after a failure',
      orderAnswer('success', failure),
      still(open, attempt({ status: 'failed', ...failure })),
      { status: 'succeeded', failureCode: null, failureMessage: null },
      'paid',
      ['fulfill'],
    ],
    ['what is stored already', orderAnswer('success'), still(paidOrder(), succeeded), undefined, 'paid', []],
    [
      'refunded before anything was delivered',
      orderAnswer('refunded'),
      still(open, tied),
      { status: 'succeeded', failureCode: null, failureMessage: null },
      'refunded',
      [],
    ],
    [
      'partial_refunded of a delivered order',
      orderAnswer('partial_refunded'),
      still(paidOrder({ fulfillmentStatus: 'fulfilled' }), succeeded),
      undefined,
      'partial_refunded',
      [],
    ],
    [
      'partial_refunded of a refunded order',
      orderAnswer('partial_refunded'),
      still(paidOrder({ paymentStatus: 'refunded' }), succeeded),
      undefined,
      'refunded',
      [],
    ],
  ])('attempt_confirmed_by_order: %s', (_what, answer, facts, patch, paymentStatusAfter, tasks) => {
    const decision = decideOrderAnswer(EVENT_ID, answer, facts);
    expect(decision).toMatchObject({
      outcome: 'done',
      reason: 'attempt_confirmed_by_order',
      merchantOrderId: ORDER_ID,
      clinkOrderId: 'order_A',
      review: null,
      paymentStatusAfter,
    });
    expect(decision.attemptPatch?.patch).toEqual(patch);
    expect(decision.tasks.map(({ task }) => task)).toEqual(tasks);
  });

  it('a success books the basis as the event would have', () => {
    const { orderPatch } = decideOrderAnswer(EVENT_ID, orderAnswer('success'), still(open, tied));
    expect(orderPatch).toMatchObject({ refundBasis: { clinkOrderId: 'order_A', amount: '19.99', currency: 'USD' } });
  });
});

describe('answers about an attempt that settle nothing yet', () => {
  it.each([
    ['another status', { ...still(open, tied), attempts: [{ ...tied, status: 'failed' as const }] }],
    ['a newer event', { ...still(open, tied), attempts: [{ ...tied, lastEventCreated: T + 11 }] }],
    ['its creation came', { ...still(open, tied), snapshot: { ...tied, attemptCreatedAt: null } }],
    ['the attempt is not there', { ...still(open, tied), attempts: [] }],
    ['another session', still(merchantOrder({ clinkSessionId: 'sess_2' }), tied)],
  ])('local_state_moved: %s', (_what, facts) => {
    const decision = decideOrderAnswer(EVENT_ID, orderAnswer('success'), facts);
    expect(decision).toMatchObject({ outcome: 'deferred', reason: 'local_state_moved', attemptPatch: null, tasks: [] });
    expect(decision.orderPatch).toEqual({});
  });

  it.each(['open', 'created', 'processing', 'SUCCESS', 'constructor', null])('order_not_settled: %s', (status) => {
    const decision = decideOrderAnswer(EVENT_ID, orderAnswer(status), still(open, tied));
    expect(decision).toMatchObject({ outcome: 'deferred', reason: 'order_not_settled', attemptPatch: null, tasks: [] });
  });

  it('attempt_order_ambiguous: the status is settled, but not which attempt is the current one', () => {
    const unplaced = attempt({ clinkOrderId: 'order_B', attemptCreatedAt: null });
    const decision = decideOrderAnswer(EVENT_ID, orderAnswer('failed'), still(open, tied, unplaced));
    expect(decision).toMatchObject({
      outcome: 'deferred',
      reason: 'attempt_order_ambiguous',
      attemptPatch: { patch: { status: 'failed' } },
      tasks: [{ task: 'reconcile_session', dedupeKey: `reconcile_session:${ORDER_ID}:${EVENT_ID}` }],
    });
  });
});

describe('answers about an attempt for a person', () => {
  const elsewhere = paidOrder({ refundBasis: { clinkOrderId: 'order_B', amount: '19.99', currency: 'USD' } });
  const known = still(open, tied);
  const delivered = still(paidOrder(), succeeded);
  const ofBasis = `refund_basis_conflict:${ORDER_ID}:order_A`;
  const ofOwner = `order_query_ownership_conflict:${ORDER_ID}:order_A`;
  const ofSuccess = `order_query_contradicts_success:${ORDER_ID}:order_A`;
  const ofDelivery = `refunded_before_fulfillment:${ORDER_ID}`;
  const success = orderAnswer('success');

  it.each([
    ['order_query_ownership_conflict', 'another attempt', { ...success, clinkOrderId: 'order_B' }, known, ofOwner],
    ['order_query_ownership_conflict', 'another session', { ...success, clinkSessionId: 'sess_2' }, known, ofOwner],
    ['order_query_ownership_conflict', 'another order', { ...success, merchantOrderId: 'mo_2' }, known, ofOwner],
    ['order_query_contradicts_success', 'failed', orderAnswer('failed'), delivered, ofSuccess],
    ['order_query_contradicts_success', 'requires_action', orderAnswer('requires_action'), delivered, ofSuccess],
    ['invalid_refund_payment_basis', 'no amount', { ...success, amountTotal: null }, known, ofBasis],
    ['refund_payment_basis_conflict', 'another attempt was paid', success, still(elsewhere, tied), ofBasis],
    ['refund_payment_basis_conflict', 'another amount', { ...success, amountTotal: '5' }, delivered, ofBasis],
    ['refunded_before_fulfillment', 'nothing was delivered', orderAnswer('partial_refunded'), known, ofDelivery],
  ])('%s: %s', (reason, _what, answer, facts, dedupeKey) => {
    const decision = decideOrderAnswer(EVENT_ID, answer, facts);
    expect(decision).toMatchObject({
      outcome: 'manual_review',
      reason,
      review: { reason, dedupeKey, clinkOrderId: 'order_A' },
      tasks: [{ task: 'manual_reconciliation', payload: { caseKey: dedupeKey } }],
    });
    expect(decision.tasks).toHaveLength(1);
  });

  it('a success whose money cannot be booked takes back the word that a payment had failed', () => {
    const refused = merchantOrder({ currentClinkOrderId: 'order_A', paymentStatus: 'payment_failed' });
    const failed = attempt({ status: 'failed', lastEventCreated: T + 10 });
    const decision = decideOrderAnswer(EVENT_ID, { ...success, amountTotal: null }, still(refused, failed));
    expect(decision).toMatchObject({
      reason: 'invalid_refund_payment_basis',
      paymentStatusBefore: 'payment_failed',
      paymentStatusAfter: 'pending',
    });
  });

  it('what a case about money keeps: that the attempt succeeded, and the basis where there was none', () => {
    const partly = decideOrderAnswer(EVENT_ID, orderAnswer('partial_refunded'), still(open, tied));
    expect(partly).toMatchObject({
      attemptPatch: { patch: { status: 'succeeded' } },
      orderPatch: { refundBasis: { amount: '19.99' }, paymentStatus: 'partial_refunded' },
    });
    const contradicted = decideOrderAnswer(EVENT_ID, orderAnswer('failed'), still(paidOrder(), succeeded));
    expect([contradicted.attemptPatch, contradicted.paymentStatusAfter]).toEqual([null, 'paid']);
  });
});
