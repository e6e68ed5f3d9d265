import { describe, expect, it } from 'vitest';
import { decideRefundAnswer, type RefundAnswerFacts } from '../../functions/decisions/refund-answer.ts';
import { attempt, merchantOrder, ORDER_ID, orderAnswer, paidOrder, refund } from '../support/clink-events.ts';

const QUESTION = { eventId: 'event_1', clinkOrderId: 'order_A', refundId: 'rfd_1' };
const succeeded = attempt({ status: 'succeeded' });

/** A paid order of 19.99 USD of which this much is booked as given back. */
function refunded(refundedAmount: string, fields: Parameters<typeof paidOrder>[0] = {}): RefundAnswerFacts {
  return { order: paidOrder({ refundedAmount, ...fields }), attempt: succeeded, refund: refund() };
}

describe('answers about a refunded attempt that settle it', () => {
  it.each([
    ['a part', 'partial_refunded', refunded('5'), 'partial_refunded', '5'],
    [
      'another part',
      'partial_refunded',
      refunded('7.5', { paymentStatus: 'partial_refunded' }),
      'partial_refunded',
      '7.5',
    ],
    ['all of it', 'refunded', refunded('19.99'), 'refunded', '19.99'],
    [
      'all of it after a part',
      'refunded',
      refunded('19.9900', { paymentStatus: 'partial_refunded' }),
      'refunded',
      '19.9900',
    ],
    ['Clink is ahead of the refunds booked here', 'refunded', refunded('5'), 'refunded', '5'],
    [
      'a part, when all of it is settled already',
      'partial_refunded',
      refunded('5', { paymentStatus: 'refunded' }),
      'refunded',
      '5',
    ],
  ])('refund_status_settled: %s', (_what, orderStatus, facts, paymentStatusAfter, refundedAmount) => {
    const decision = decideRefundAnswer(QUESTION, orderAnswer(orderStatus), facts);
    expect(decision).toMatchObject({
      outcome: 'done',
      reason: 'refund_status_settled',
      paymentStatusAfter,
      review: null,
      tasks: [
        {
          task: 'apply_refund_policy',
          dedupeKey: 'apply_refund_policy:rfd_1',
          clinkOrderId: 'order_A',
          payload: { refundId: 'rfd_1', orderStatus, refundedAmount, paymentCurrency: 'USD' },
        },
      ],
    });
    expect(decision.tasks).toHaveLength(1);
  });
});

describe('answers about a refunded attempt that settle nothing yet', () => {
  it.each([
    ['order_not_settled', 'success', refunded('5')],
    ['order_not_settled', 'processing', refunded('5')],
    ['order_not_settled', null, refunded('5')],
    ['refund_status_behind', 'partial_refunded', refunded('19.99')],
    ['refund_status_behind', 'partial_refunded', refunded('19.9900', { paymentStatus: 'partial_refunded' })],
  ])('%s: %s', (reason, status, facts) => {
    const decision = decideRefundAnswer(QUESTION, orderAnswer(status), facts);
    expect(decision).toMatchObject({ outcome: 'deferred', reason, review: null, tasks: [] });
    expect(decision.orderPatch).toEqual({});
  });
});

describe('answers about a refunded attempt for a person', () => {
  const partly = orderAnswer('partial_refunded');
  const otherBasis = { refundBasis: { clinkOrderId: 'order_B', amount: '19.99', currency: 'USD' } };

  it.each([
    ['refund_order_query_ownership_conflict', 'another attempt', { ...partly, clinkOrderId: 'order_B' }, refunded('5')],
    [
      'refund_order_query_ownership_conflict',
      'another session',
      { ...partly, clinkSessionId: 'sess_2' },
      refunded('5'),
    ],
    ['refund_order_query_ownership_conflict', 'another order', { ...partly, merchantOrderId: 'mo_2' }, refunded('5')],
    ['refund_order_query_ownership_conflict', 'no attempt stored', partly, { ...refunded('5'), attempt: null }],
    [
      'refund_order_query_ownership_conflict',
      "another order's attempt stored",
      partly,
      { ...refunded('5'), attempt: attempt({ merchantOrderId: 'mo_2' }) },
    ],
    [
      'refund_order_query_ownership_conflict',
      "another session's attempt stored",
      partly,
      { ...refunded('5'), attempt: attempt({ clinkSessionId: 'sess_2' }) },
    ],
    [
      'refund_order_query_ownership_conflict',
      "another order's attempt stored, and Clink agrees with it",
      { ...partly, merchantOrderId: 'mo_2' },
      { ...refunded('5'), attempt: attempt({ merchantOrderId: 'mo_2' }) },
    ],
    [
      'refund_order_query_ownership_conflict',
      "another session's attempt stored, and Clink agrees with it",
      { ...partly, clinkSessionId: 'sess_2' },
      { ...refunded('5'), attempt: attempt({ clinkSessionId: 'sess_2' }) },
    ],
    ['refund_reconciliation_order_conflict', 'another attempt was paid', partly, refunded('5', otherBasis)],
    ['invalid_refund_payment_basis', 'no amount', { ...partly, amountTotal: null }, refunded('5')],
    ['refund_payment_basis_conflict', 'another amount', { ...partly, amountTotal: '20' }, refunded('5')],
    ['refund_payment_basis_conflict', 'another currency', { ...partly, paymentCurrency: 'EUR' }, refunded('5')],
  ])('%s: %s', (reason, _what, answer, facts) => {
    const decision = decideRefundAnswer(QUESTION, answer, facts);
    expect(decision).toMatchObject({
      outcome: 'manual_review',
      reason,
      review: { reason, dedupeKey: 'refund_conflict:rfd_1', merchantOrderId: ORDER_ID, refundId: 'rfd_1' },
      tasks: [{ task: 'manual_reconciliation', payload: { caseKey: 'refund_conflict:rfd_1' } }],
    });
    expect(decision.orderPatch).toEqual({});
    expect(decision.tasks).toHaveLength(1);
  });

  it('an order without a basis takes it from the answer', () => {
    const decision = decideRefundAnswer(QUESTION, partly, { ...refunded('0'), order: merchantOrder() });
    expect(decision.orderPatch.refundBasis).toEqual({ clinkOrderId: 'order_A', amount: '19.99', currency: 'USD' });
  });
});
