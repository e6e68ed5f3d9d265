import type { Backend, Order } from './backend.ts';
import { type OrderEventType, T } from './clink-events.ts';
import { type Attempted, attemptedOrder, deliverAll } from './payments.ts';
import { orderBody } from './webhooks.ts';

/** Several attempts at one order, and what Clink says about which of them counts. */

export type StatusEvent = Exclude<OrderEventType, 'order.created'>;

export const ORDER_EVENTS: readonly OrderEventType[] = [
  'order.created',
  'order.next_action',
  'order.failed',
  'order.succeeded',
];

/** Status events that do not settle an order for good, with what they make of an attempt and of its order. */
export const OPEN_ENDS = [
  { type: 'order.next_action', attemptStatus: 'action_required', paymentStatus: 'action_required' },
  { type: 'order.failed', attemptStatus: 'failed', paymentStatus: 'payment_failed' },
] as const;

/** An order whose first attempt was created at T and came to this a second later. */
export async function orderAfter(backend: Backend, type: StatusEvent): Promise<Attempted> {
  const order = await attemptedOrder(backend);
  await deliverAll(backend, orderBody(type, order, order.clinkOrderId, { created: T + 1000 }));
  return order;
}

/** Sets which attempt `GET /checkout/session/{id}` names from now on. */
export function sessionNames(backend: Backend, order: Order, clinkOrderId: string | null): Promise<void> {
  return backend.clinkSays(`/sessions/${order.sessionId}`, { orderId: clinkOrderId });
}
