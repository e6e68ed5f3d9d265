import type { Sql } from '../database/connection.ts';
import { retryingLoss } from '../database/connection-loss.ts';
import { findOrderOfCustomer } from '../database/merchant-orders.ts';
import { listAttempts } from '../database/payment-attempts.ts';
import { displayOf } from '../decisions/display.ts';
import type { OrderView } from './order-view.ts';

/** The customer's own order as the return page shows it; null for an unknown order and for another customer's alike. */
export async function showOrder(sql: Sql, customerId: string, merchantOrderId: string): Promise<OrderView | null> {
  const look = () =>
    Promise.all([findOrderOfCustomer(sql, customerId, merchantOrderId), listAttempts(sql, merchantOrderId)]);
  const [order, attempts] = await retryingLoss(look);
  if (!order) return null;
  const { id, name, quantity } = order.product;
  return {
    id: order.id,
    paymentStatus: order.paymentStatus,
    fulfillmentStatus: order.fulfillmentStatus,
    sessionStatus: order.sessionStatus,
    amount: order.amount,
    currency: order.currency,
    refundedAmount: order.refundedAmount,
    ...(order.paidCurrency !== null &&
      order.paidCurrency !== order.currency && { refundedCurrency: order.paidCurrency }),
    product: { id, name, quantity },
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    display: displayOf(order.paymentStatus, order.sessionStatus, attempts),
  };
}
