import { randomUUID } from 'node:crypto';
import type { Order } from './backend.ts';
import { T } from './clink-events.ts';

/** Webhook bodies as Clink sends them. Every builder gives the ordinary case; a test names only what it is about. */

export interface Body {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: unknown;
  readonly data: { readonly object: Record<string, unknown> };
}

interface Head {
  readonly id?: string;
  readonly created?: unknown;
}

const STATUS: Readonly<Record<string, string>> = {
  'order.created': 'created',
  'order.next_action': 'requires_action',
  'order.succeeded': 'success',
  'order.failed': 'failed',
};

export function orderBody(
  type: 'order.created' | 'order.next_action' | 'order.succeeded' | 'order.failed',
  order: Order,
  clinkOrderId: string,
  { id = `event_${randomUUID()}`, created = T, ...fields }: Head & Record<string, unknown> = {},
): Body {
  return envelope(id, type, created, {
    orderId: clinkOrderId,
    merchantReferenceId: order.id,
    sessionId: order.sessionId,
    status: STATUS[type],
    customerEmail: 'shopper@example.test',
    metadata: {},
    ...(type === 'order.succeeded' && { amountTotal: 19.99, paymentCurrency: 'USD' }),
    ...(type === 'order.failed' && { failureCode: 'card_declined', failureMessage: 'The card was declined.' }),
    ...fields,
  });
}

export function sessionBody(
  type: 'session.complete' | 'session.expired',
  order: Order,
  { id = `event_${randomUUID()}`, created = T, ...fields }: Head & Record<string, unknown> = {},
): Body {
  const status = type === 'session.complete' ? 'completed' : 'expired';
  return envelope(id, type, created, { sessionId: order.sessionId, merchantReferenceId: order.id, status, ...fields });
}

export function refundBody(
  clinkOrderId: string,
  refundId: string,
  refundAmount: unknown,
  { id = `event_${randomUUID()}`, created = T + 10_000, ...fields }: Head & Record<string, unknown> = {},
): Body {
  const refund = {
    refundId,
    orderId: clinkOrderId,
    refundAmount,
    refundCurrency: 'USD',
    status: 'success',
    metadata: {},
  };
  return envelope(id, 'refund.succeeded', created, { ...refund, ...fields });
}

function envelope(id: string, type: string, created: unknown, object: Record<string, unknown>): Body {
  return { id, object: 'event', type, created, data: { object } };
}
