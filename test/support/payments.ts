import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Backend, Order } from './backend.ts';
import { T } from './clink-events.ts';
import { type Body, orderBody } from './webhooks.ts';

/** What happens at Clink in nearly every scenario: payments, refunds, and the answers about them. */

export interface Attempted extends Order {
  readonly clinkOrderId: string;
}

export interface Payment {
  readonly amountTotal?: number | string;
  readonly paymentCurrency?: string;
}

export const newClinkOrderId = () => `order_${randomUUID()}`;
export const newRefundId = () => `rfd_${randomUUID()}`;

/** Delivers events one after the other; each must be taken in. */
export async function deliverAll(backend: Backend, ...events: readonly Body[]): Promise<void> {
  for (const event of events) expect(await backend.deliver(event)).toEqual({ statusCode: 200, body: 'ok' });
}

/** An order whose attempt Clink has announced, and nothing more. */
export async function attemptedOrder(backend: Backend): Promise<Attempted> {
  const order = await backend.checkout();
  const clinkOrderId = newClinkOrderId();
  await deliverAll(backend, orderBody('order.created', order, clinkOrderId, { created: T }));
  return { ...order, clinkOrderId };
}

/** An order paid by its first attempt, with 19.99 USD unless told otherwise. */
export async function paidOrder(backend: Backend, payment: Payment = {}): Promise<Attempted> {
  const order = await attemptedOrder(backend);
  await deliverAll(backend, succeeded(order, payment));
  return order;
}

export function succeeded(order: Attempted, payment: Payment = {}): Body {
  return orderBody('order.succeeded', order, order.clinkOrderId, { created: T + 1000, ...payment });
}

/** Sets what `GET /order/{id}` says about an attempt from now on. */
export async function clinkOrderIs(backend: Backend, order: Attempted, status: string, payment: Payment = {}) {
  await backend.clinkSays(`/orders/${order.clinkOrderId}`, {
    merchantReferenceId: order.id,
    sessionId: order.sessionId,
    status,
    amountTotal: 19.99,
    paymentCurrency: 'USD',
    ...payment,
  });
}
