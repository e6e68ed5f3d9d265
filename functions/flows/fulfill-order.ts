import type { Sql } from '../database/connection.ts';
import { findOrder, findOrderToFulfill, setFulfillmentStatus } from '../database/merchant-orders.ts';
import type { OwnedTask } from '../database/outbox.ts';
import type { Fulfillment, PaidOrder } from '../merchant/fulfillment.ts';
import { log } from '../platform/log.ts';
import type { Ownership } from './ownership.ts';
import { TaskFailedError } from './task-failed.ts';
import { requiredOrderId } from './task-payload.ts';

export interface FulfillFlow {
  readonly sql: Sql;
  readonly fulfillment: Fulfillment;
}

type FulfillTask = Pick<OwnedTask, 'merchantOrderId' | 'eventId'>;

/** Has a paid order delivered and marks it so. An order that was refunded in full before is not delivered any more. */
export async function fulfillOrder({ sql, fulfillment }: FulfillFlow, task: FulfillTask, lease: Ownership) {
  const id = requiredOrderId(task);
  const order = await findOrder(sql, id);
  if (!order) throw new TaskFailedError('order_missing', { permanent: false });
  if (order.fulfillmentStatus === 'fulfilled') return;
  if (order.paymentStatus === 'refunded') return withholdDelivery(sql, id);

  const options = { idempotencyKey: id, eventId: task.eventId, signal: lease.signal };
  await fulfillment.fulfill(await loadPaidOrder(sql, id), options);
  await lease.ensureOwned();
  await setFulfillmentStatus(sql, id, 'fulfilled');
}

async function loadPaidOrder(sql: Sql, id: string): Promise<PaidOrder> {
  const order = await findOrderToFulfill(sql, id);
  const clinkOrderId = order?.clinkOrderId ?? null;
  if (!order || clinkOrderId === null) throw new TaskFailedError('order_not_paid', { permanent: false });
  return { ...order, clinkOrderId, product: { ...order.product } };
}

/** `none` says that no delivery is due, and keeps the order out of the search for those that were paid but not delivered. */
async function withholdDelivery(sql: Sql, merchantOrderId: string): Promise<void> {
  log.warn('refunded_before_delivery', { merchantOrderId });
  await setFulfillmentStatus(sql, merchantOrderId, 'none');
}
