import { describe, expect, it } from 'vitest';
import { decideRefundEvent, type RefundEventFacts } from '../../functions/decisions/refund-event.ts';
import { attempt, merchantOrder, paidOrder, refund, refundEvent } from '../support/clink-events.ts';

function facts(fields: Partial<RefundEventFacts> = {}): RefundEventFacts {
  return { order: paidOrder(), attempt: attempt({ status: 'succeeded' }), storedRefund: null, refunds: [], ...fields };
}

/** A paid order that has these refunds, the first of them under the event's id. */
function refunded(total: string, ...refunds: RefundEventFacts['refunds']): RefundEventFacts {
  return facts({ order: paidOrder({ refundedAmount: total }), refunds, storedRefund: refunds[0] ?? null });
}

const earlier = refund({ refundId: 'rfd_0', amount: '2.5000' });

describe('refunds that are booked', () => {
  it.each([
    ['the first one', refundEvent(), facts(), '5', '5'],
    ['beside an earlier one', refundEvent(), { ...refunded('2.5', earlier), storedRefund: null }, '5', '7.5'],
    ['all of it', refundEvent({ amount: '19.99' }), facts(), '19.99', '19.99'],
    ['its text tidied', refundEvent({ amount: '5.00', currency: ' usd ' }), facts(), '5', '5'],
  ])('refund_booked: %s', (_what, event, known, amount, refundedAmount) => {
    expect(decideRefundEvent(event, known)).toMatchObject({
      outcome: 'done',
      reason: 'refund_booked',
      newRefund: { refundId: 'rfd_1', merchantOrderId: 'mo_1', clinkOrderId: 'order_A', amount, currency: 'USD' },
      orderPatch: { refundedAmount },
      tasks: [
        {
          task: 'refund_reconcile',
          clinkOrderId: 'order_A',
          payload: { refundId: 'rfd_1' },
          dedupeKey: 'refund_reconcile:rfd_1',
        },
      ],
      review: null,
    });
  });

  it('refund_booked: the order keeps its status until Clink has been asked', () => {
    const decision = decideRefundEvent(refundEvent({ amount: '19.99' }), facts());
    expect([decision.paymentStatusBefore, decision.paymentStatusAfter]).toEqual(['paid', 'paid']);
  });

  it('refund_repeated: stored already, so nothing is written but the same task asked for', () => {
    const decision = decideRefundEvent(refundEvent({ amount: '5.0' }), refunded('5', refund()));
    expect(decision).toMatchObject({ outcome: 'done', reason: 'refund_repeated', newRefund: null });
    expect(decision.orderPatch).toEqual({});
    expect(decision.tasks.map(({ dedupeKey }) => dedupeKey)).toEqual(['refund_reconcile:rfd_1']);
  });

  it('refund_repeated: a total that is not the sum of the rows is put right', () => {
    const decision = decideRefundEvent(refundEvent(), refunded('0', refund()));
    expect(decision).toMatchObject({ reason: 'refund_repeated', orderPatch: { refundedAmount: '5' } });
  });
});

describe('refunds that wait', () => {
  it.each([
    ['attempt_missing', 'nothing known', facts({ order: null, attempt: null })],
    ['refund_basis_missing', 'the payment is not booked', facts({ order: merchantOrder(), attempt: attempt() })],
  ])('%s: %s', (reason, _what, known) => {
    const decision = decideRefundEvent(refundEvent(), known);
    expect(decision).toMatchObject({ outcome: 'deferred', reason, newRefund: null, review: null, tasks: [] });
  });
});

describe('refunds for a person', () => {
  it.each([
    [
      'refund_id_reused_with_missing_attempt',
      'unknown attempt',
      refundEvent(),
      { ...refunded('5', refund()), attempt: null },
    ],
    ['invalid_refund_record', 'zero', refundEvent({ amount: '0' }), facts()],
    ['invalid_refund_record', 'negative', refundEvent({ amount: '-5' }), facts()],
    ['invalid_refund_record', 'not finite', refundEvent({ amount: 'NaN' }), facts()],
    ['invalid_refund_record', 'absent', refundEvent({ amount: null }), facts()],
    ['invalid_refund_record', 'finer than a cent', refundEvent({ amount: '1.999' }), facts()],
    ['invalid_refund_record', 'half a yen', refundEvent({ amount: '0.5', currency: 'JPY' }), facts()],
    ['invalid_refund_record', 'no currency', refundEvent({ currency: null }), facts()],
    [
      'invalid_refund_record',
      'before the payment is booked',
      refundEvent({ amount: '0' }),
      facts({ order: merchantOrder() }),
    ],
    ['invalid_refund_record', 'of a stored one', refundEvent({ amount: 'x' }), refunded('5', refund())],
    ['refund_id_immutable_fields_conflict', 'amount', refundEvent({ amount: '6' }), refunded('5', refund())],
    ['refund_id_immutable_fields_conflict', 'currency', refundEvent({ currency: 'EUR' }), refunded('5', refund())],
    [
      'refund_id_immutable_fields_conflict',
      'attempt',
      refundEvent(),
      refunded('5', refund({ clinkOrderId: 'order_B' })),
    ],
    [
      'refund_id_immutable_fields_conflict',
      'order',
      refundEvent(),
      facts({ storedRefund: refund({ merchantOrderId: 'mo_2' }) }),
    ],
    [
      'refund_id_immutable_fields_conflict',
      'even before the payment is booked',
      refundEvent({ amount: '6' }),
      facts({ order: merchantOrder(), storedRefund: refund() }),
    ],
    ['refund_order_or_currency_conflict', 'currency', refundEvent({ currency: 'EUR' }), facts()],
    [
      'refund_order_or_currency_conflict',
      'another attempt was paid',
      refundEvent({ clinkOrderId: 'order_B' }),
      facts({ attempt: attempt({ clinkOrderId: 'order_B' }) }),
    ],
    [
      'stored_successful_refund_conflict',
      'a stored one in another currency',
      refundEvent(),
      { ...refunded('0', refund({ refundId: 'rfd_0', currency: 'EUR' })), storedRefund: null },
    ],
    [
      'stored_successful_refund_conflict',
      'a stored one of another attempt',
      refundEvent(),
      { ...refunded('0', refund({ refundId: 'rfd_0', clinkOrderId: 'order_B' })), storedRefund: null },
    ],
    ['refund_total_exceeds_payment_basis', 'alone', refundEvent({ amount: '20' }), facts()],
    [
      'refund_total_exceeds_payment_basis',
      'with an earlier one',
      refundEvent({ amount: '17.5' }),
      { ...refunded('2.5', earlier), storedRefund: null },
    ],
    [
      'refund_total_exceeds_payment_basis',
      'nothing was paid',
      refundEvent({ amount: '0.01' }),
      facts({ order: paidOrder({ refundBasis: { clinkOrderId: 'order_A', amount: '0', currency: 'USD' } }) }),
    ],
  ])('%s: %s', (reason, _what, event, known) => {
    const decision = decideRefundEvent(event, known);
    expect(decision).toMatchObject({
      outcome: 'manual_review',
      reason,
      newRefund: null,
      review: {
        reason,
        dedupeKey: 'refund_conflict:rfd_1',
        merchantOrderId: 'mo_1',
        refundId: 'rfd_1',
        evidence: { eventId: event.id },
      },
      tasks: [{ task: 'manual_reconciliation', payload: { caseKey: 'refund_conflict:rfd_1' } }],
    });
    expect(decision.orderPatch).toEqual({});
    expect(decision.tasks).toHaveLength(1);
  });

  it('a refund without an id is one case per event', () => {
    const event = refundEvent({ refundId: null });
    const { review } = decideRefundEvent(event, facts());
    expect(review).toMatchObject({ dedupeKey: `refund_conflict:event:${event.id}`, reason: 'invalid_refund_record' });
  });

  it('the evidence holds what is stored and what came, each in its own words', () => {
    const { review } = decideRefundEvent(refundEvent({ amount: '17.50' }), refunded('5', refund()));
    expect(review?.evidence).toEqual({
      eventId: 'event:refund:rfd_1',
      storedRefund: { ...refund() },
      incomingRefund: { refundId: 'rfd_1', clinkOrderId: 'order_A', amount: '17.50', currency: 'USD' },
    });
  });
});
