import {
  ATTEMPT_STATUS_OF_EVENT,
  type OrderAnswer,
  type OrderEvent,
  type RefundEvent,
  SESSION_STATUS_OF_EVENT,
  type SessionAnswer,
  type SessionEvent,
} from '../../functions/decisions/event.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from '../../functions/decisions/order.ts';

/** Values for decision tests: every builder gives the ordinary case, and a test names only what it is about. */

export const ORDER_ID = 'mo_1';
export const SESSION_ID = 'sess_1';
export const T = 1_786_000_000_000;

export type OrderEventType = 'order.created' | 'order.next_action' | 'order.succeeded' | 'order.failed';

export function orderEvent(type: OrderEventType, fields: Partial<OrderEvent> = {}): OrderEvent {
  const attemptStatus = ATTEMPT_STATUS_OF_EVENT.get(type);
  if (!attemptStatus) throw new Error(`${type} is not an order event`);
  const created = fields.created === undefined ? T : fields.created;
  const clinkOrderId = fields.clinkOrderId === undefined ? 'order_A' : fields.clinkOrderId;
  return {
    kind: 'order',
    id: `event:${type}:${clinkOrderId}:${created}`,
    type,
    attemptStatus,
    merchantOrderId: ORDER_ID,
    clinkSessionId: SESSION_ID,
    amountTotal: type === 'order.succeeded' ? '19.99' : null,
    paymentCurrency: type === 'order.succeeded' ? 'USD' : null,
    recurring: false,
    failureCode: type === 'order.failed' ? 'card_declined' : null,
    failureMessage: type === 'order.failed' ? 'declined' : null,
    ...fields,
    clinkOrderId,
    created,
  };
}

export function sessionEvent(
  type: 'session.complete' | 'session.expired',
  fields: Partial<SessionEvent> = {},
): SessionEvent {
  const sessionStatus = SESSION_STATUS_OF_EVENT.get(type);
  if (!sessionStatus) throw new Error(`${type} is not a session event`);
  const created = fields.created === undefined ? T : fields.created;
  return {
    kind: 'session',
    id: `event:${type}:${created}`,
    type,
    sessionStatus,
    statedStatus: sessionStatus,
    merchantOrderId: ORDER_ID,
    clinkSessionId: SESSION_ID,
    clinkOrderId: null,
    ...fields,
    created,
  };
}

export function refundEvent(fields: Partial<RefundEvent> = {}): RefundEvent {
  const refundId = fields.refundId === undefined ? 'rfd_1' : fields.refundId;
  return {
    kind: 'refund',
    id: `event:refund:${refundId}`,
    type: 'refund.succeeded',
    created: T + 1000,
    clinkOrderId: 'order_A',
    amount: '5',
    currency: 'USD',
    ...fields,
    refundId,
  };
}

export function merchantOrder(fields: Partial<MerchantOrder> = {}): MerchantOrder {
  return {
    id: ORDER_ID,
    clinkSessionId: SESSION_ID,
    sessionStatus: 'open',
    sessionEventCreated: null,
    currentClinkOrderId: null,
    currentAttemptConfirmed: false,
    paymentStatus: 'pending',
    fulfillmentStatus: 'none',
    refundBasis: null,
    refundedAmount: '0',
    ...fields,
  };
}

export function paidOrder(fields: Partial<MerchantOrder> = {}): MerchantOrder {
  return merchantOrder({
    paymentStatus: 'paid',
    fulfillmentStatus: 'pending',
    currentClinkOrderId: 'order_A',
    refundBasis: { clinkOrderId: 'order_A', amount: '19.99', currency: 'USD' },
    ...fields,
  });
}

export function attempt(fields: Partial<PaymentAttempt> = {}): PaymentAttempt {
  return {
    clinkOrderId: 'order_A',
    merchantOrderId: ORDER_ID,
    clinkSessionId: SESSION_ID,
    status: 'pending',
    attemptCreatedAt: T,
    lastEventCreated: T,
    failureCode: null,
    failureMessage: null,
    ...fields,
  };
}

export function refund(fields: Partial<Refund> = {}): Refund {
  return {
    refundId: 'rfd_1',
    merchantOrderId: ORDER_ID,
    clinkOrderId: 'order_A',
    amount: '5.0000',
    currency: 'USD',
    ...fields,
  };
}

export function orderAnswer(status: string | null, fields: Partial<OrderAnswer> = {}): OrderAnswer {
  return {
    clinkOrderId: 'order_A',
    clinkSessionId: SESSION_ID,
    merchantOrderId: ORDER_ID,
    status,
    amountTotal: '19.99',
    paymentCurrency: 'USD',
    failureCode: null,
    failureMessage: null,
    ...fields,
  };
}

export function sessionAnswer(fields: Partial<SessionAnswer> = {}): SessionAnswer {
  return {
    clinkSessionId: SESSION_ID,
    merchantOrderId: ORDER_ID,
    clinkOrderId: 'order_A',
    status: 'open',
    ...fields,
  };
}
