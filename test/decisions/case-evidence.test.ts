import { describe, expect, it } from 'vitest';
import { decideOrderAnswer } from '../../functions/decisions/order-answer.ts';
import { decideOrderEvent } from '../../functions/decisions/order-event.ts';
import { decideRefundAnswer } from '../../functions/decisions/refund-answer.ts';
import { decideRefundEvent } from '../../functions/decisions/refund-event.ts';
import { decideSessionAnswer } from '../../functions/decisions/session-answer.ts';
import { decideSessionEvent } from '../../functions/decisions/session-event.ts';
import {
  attempt,
  merchantOrder,
  ORDER_ID,
  orderAnswer,
  orderEvent,
  paidOrder,
  refund,
  refundEvent,
  SESSION_ID,
  sessionAnswer,
  sessionEvent,
  T,
} from '../support/clink-events.ts';

/** What a person gets to see of each case, whole: a fact that is missing is a case that cannot be settled. */

const BASIS = { clinkOrderId: 'order_A', amount: '19.99', currency: 'USD' };
const RETURNED_ORDER = {
  clinkOrderId: 'order_A',
  clinkSessionId: SESSION_ID,
  merchantOrderId: ORDER_ID,
  status: 'partial_refunded',
  amountTotal: '19.99',
  paymentCurrency: 'USD',
  failureCode: null,
};

function seenOf(status: 'pending' | 'succeeded', clinkOrderId = 'order_A') {
  return {
    clinkOrderId,
    merchantOrderId: ORDER_ID,
    clinkSessionId: SESSION_ID,
    status,
    attemptCreatedAt: T,
    lastEventCreated: T,
  };
}

const succeeded = attempt({ status: 'succeeded' });
const returned = orderAnswer('partial_refunded');

describe('the evidence of a case', () => {
  it('an order event of another session', () => {
    const event = orderEvent('order.failed', { clinkSessionId: 'sess_2' });
    const facts = { order: merchantOrder(), attempts: [attempt()], storedAttempt: attempt() };
    expect(decideOrderEvent(event, facts).review?.evidence).toEqual({
      eventId: event.id,
      eventType: 'order.failed',
      eventCreated: T,
      incoming: { merchantOrderId: ORDER_ID, clinkSessionId: 'sess_2', clinkOrderId: 'order_A' },
      storedMerchantOrder: {
        merchantOrderId: ORDER_ID,
        clinkSessionId: SESSION_ID,
        clinkSessionStatus: 'open',
        clinkSessionLastEventCreated: null,
        currentClinkOrderId: null,
        paymentStatus: 'pending',
      },
      storedAttempt: seenOf('pending'),
    });
  });

  it('an order event of an attempt that nobody knows', () => {
    const event = orderEvent('order.failed', { clinkSessionId: null });
    const facts = { order: merchantOrder(), attempts: [], storedAttempt: null };
    expect(decideOrderEvent(event, facts).review?.evidence).toMatchObject({ storedAttempt: null });
  });

  it('a success with another amount than the one booked', () => {
    const event = orderEvent('order.succeeded', { amountTotal: '20', created: T });
    const facts = { order: paidOrder(), attempts: [succeeded], storedAttempt: succeeded };
    expect(decideOrderEvent(event, facts).review?.evidence).toEqual({
      storedBasis: BASIS,
      incomingPayment: { clinkOrderId: 'order_A', amount: '20', currency: 'USD' },
      storedAttempt: seenOf('succeeded'),
    });
  });

  it('a success that could not be booked, of an order without a basis', () => {
    const event = orderEvent('order.succeeded', { amountTotal: null });
    const facts = { order: merchantOrder(), attempts: [], storedAttempt: null };
    expect(decideOrderEvent(event, facts).review?.evidence).toMatchObject({ storedBasis: null });
  });

  it('an answer about an order that contradicts a success', () => {
    const facts = { order: paidOrder(), attempts: [succeeded], snapshot: succeeded };
    const { review } = decideOrderAnswer('event_1', orderAnswer('failed', { failureCode: 'late' }), facts);
    expect(review?.evidence).toEqual({
      requestedClinkOrderId: 'order_A',
      returnedOrder: { ...RETURNED_ORDER, status: 'failed', failureCode: 'late' },
      storedAttempt: seenOf('succeeded'),
      storedBasis: BASIS,
    });
  });

  it('an answer about an order that was refunded in part and not delivered', () => {
    const order = paidOrder({ fulfillmentStatus: 'none' });
    const { review } = decideOrderAnswer('event_1', returned, { order, attempts: [succeeded], snapshot: succeeded });
    expect(review?.evidence).toEqual({ returnedOrder: RETURNED_ORDER, storedBasis: BASIS });
  });

  it('an answer about a session that is not ours', () => {
    const state = { order: paidOrder(), attempts: [succeeded] };
    const answer = sessionAnswer({ clinkSessionId: 'sess_2' });
    const facts = { ...state, snapshot: state, namedAttempt: succeeded };
    expect(decideSessionAnswer('event_1', answer, facts).review?.evidence).toEqual({
      requestedSessionId: SESSION_ID,
      returnedSession: {
        clinkSessionId: 'sess_2',
        clinkOrderId: 'order_A',
        merchantOrderId: ORDER_ID,
        status: 'open',
      },
      storedAttempt: seenOf('succeeded'),
      storedBasis: BASIS,
    });
  });

  it('the end of a session that is not ours', () => {
    const event = sessionEvent('session.complete', { clinkSessionId: 'sess_2', clinkOrderId: 'order_A' });
    expect(decideSessionEvent(event, merchantOrder()).review?.evidence).toEqual({
      eventId: event.id,
      eventType: 'session.complete',
      eventCreated: T,
      incoming: {
        merchantOrderId: ORDER_ID,
        clinkSessionId: 'sess_2',
        clinkOrderId: 'order_A',
        status: 'completed',
      },
      storedMerchantOrder: {
        merchantOrderId: ORDER_ID,
        clinkSessionId: SESSION_ID,
        clinkSessionStatus: 'open',
        clinkSessionLastEventCreated: null,
        currentClinkOrderId: null,
        paymentStatus: 'pending',
      },
    });
  });
});

describe('the evidence of a case about a refund', () => {
  const question = { eventId: 'event_1', clinkOrderId: 'order_A', refundId: 'rfd_1' };
  const incomingRefund = { refundId: 'rfd_1', clinkOrderId: 'order_A', amount: '5', currency: 'USD' };

  it('an answer about another attempt', () => {
    const facts = { order: paidOrder(), attempt: succeeded, refund: refund() };
    const { review } = decideRefundAnswer(question, { ...returned, clinkOrderId: 'order_B' }, facts);
    expect(review?.evidence).toEqual({
      requestedClinkOrderId: 'order_A',
      returnedOrder: { ...RETURNED_ORDER, clinkOrderId: 'order_B' },
      storedAttempt: seenOf('succeeded'),
      storedRefund: refund(),
      storedBasis: BASIS,
    });
  });

  it('an answer with another amount than the one booked', () => {
    const facts = { order: paidOrder(), attempt: succeeded, refund: null };
    const { review } = decideRefundAnswer(question, { ...returned, amountTotal: '20' }, facts);
    expect(review?.evidence).toEqual({
      storedBasis: BASIS,
      incomingPayment: { clinkOrderId: 'order_A', amount: '20', currency: 'USD' },
      storedAttempt: seenOf('succeeded'),
    });
  });

  const paid = { order: paidOrder(), attempt: succeeded, storedRefund: null, refunds: [] };

  it('a refund in another currency than was paid', () => {
    const event = refundEvent({ currency: 'EUR' });
    expect(decideRefundEvent(event, paid).review?.evidence).toEqual({
      eventId: event.id,
      storedBasis: BASIS,
      storedRefund: null,
      incomingRefund: { ...incomingRefund, currency: 'EUR' },
    });
  });

  it('a stored refund that should not be there', () => {
    const odd = refund({ refundId: 'rfd_0', currency: 'EUR' });
    const event = refundEvent();
    expect(decideRefundEvent(event, { ...paid, refunds: [odd] }).review?.evidence).toEqual({
      eventId: event.id,
      storedBasis: BASIS,
      conflictingRefund: odd,
    });
  });

  it('more than was paid', () => {
    const earlier = refund({ refundId: 'rfd_0', amount: '17' });
    const facts = { ...paid, order: paidOrder({ refundedAmount: '17' }), refunds: [earlier] };
    const event = refundEvent();
    expect(decideRefundEvent(event, facts).review?.evidence).toEqual({
      eventId: event.id,
      storedBasis: BASIS,
      refundedAmount: '17',
      wouldBe: '22',
      refundIds: ['rfd_0'],
      storedRefund: null,
      incomingRefund,
    });
  });
});
