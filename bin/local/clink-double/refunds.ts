import type { Decimal } from 'decimal.js';
import { isJsonObject, type JsonNumber, type JsonObject } from '../../../functions/clink/json.ts';
import { inTransaction } from './database.ts';
import type { SendMode } from './deliveries.ts';
import { laneOf, publish } from './events.ts';
import { decimalOf, isChargeable, jsonAmount, sumOf } from './money.ts';
import { demand, known } from './refusal.ts';
import { newId, type World } from './world.ts';

export interface RefundRequest {
  /** In major units. Not checked against the order: scripts ask for wrong refunds on purpose. */
  amount: JsonNumber;
  /** The order's payment currency by default. */
  currency?: string;
  /** What the order API answers at once, instead of what the refunds add up to a moment later. */
  orderStatus?: string;
  webhooks: SendMode;
}

/** Refunds an order. The event goes out first; the order's status follows later, as at Clink. Returns the refund's id. */
export function refund(world: World, orderId: string, request: RefundRequest): string {
  return inTransaction(world.database, () => {
    const order = known(world.orders.get(orderId), 'order');
    const refundId = newId(world, 'rfd');
    const done = world.refunds.put(refundId, newRefund(world, order, refundId, request));
    publish(world, laneOf(order), [['refund.succeeded', done]], request.webhooks);
    if (request.orderStatus === undefined) announceStatus(world, order);
    else setOrder(world, orderId, { status: request.orderStatus });
    return refundId;
  });
}

/** A refund as a person asks for it: refused unless it is a payable amount within what is left; empty means all of it. */
export function refundWithinRest(world: World, orderId: string, amountText: string): string {
  const order = known(world.orders.get(orderId), 'order');
  const rest = refundableRest(world, order);
  const amount = amountText.trim() === '' ? rest : decimalOf(amountText.trim());
  demand(
    amount !== undefined && isChargeable(amount, String(order.paymentCurrency)),
    'This is not an amount to refund.',
  );
  demand(amount.lte(rest), 'This is more than what is left of the payment.');
  return refund(world, orderId, { amount: jsonAmount(amount), webhooks: 'send' });
}

/** What is left of a payment, in its currency; zero for an order that never succeeded. */
export function refundableRest(world: World, order: JsonObject): Decimal {
  const paid = ['success', 'partial_refunded', 'refunded'].includes(String(order.status));
  const total = (paid ? decimalOf(order.amountTotal) : undefined) ?? sumOf([]);
  return total.minus(refundedTotal(world, order));
}

/** Changes what the API answers for an order, now; a status that was about to follow a refund is forgotten. */
export function setOrder(world: World, orderId: string, fields: JsonObject): JsonObject {
  if ('status' in fields) world.database.prepare('DELETE FROM coming_statuses WHERE order_id = ?').run(orderId);
  return world.orders.put(orderId, fields);
}

/** Lets the orders show the statuses that are due. */
export function showDueStatuses(world: World): void {
  inTransaction(world.database, () => {
    const rows = world.database
      .prepare('DELETE FROM coming_statuses WHERE due_at <= ? RETURNING order_id, status')
      .all(world.now());
    for (const row of rows) world.orders.put(String(row.order_id), { status: row.status });
  });
}

function announceStatus(world: World, order: JsonObject): void {
  const total = decimalOf(order.amountTotal);
  const status = total?.lte(refundedTotal(world, order)) ? 'refunded' : 'partial_refunded';
  const dueAt = world.now() + world.knobs.delivery.refundStatusDelayMs;
  world.database
    .prepare('INSERT OR REPLACE INTO coming_statuses (order_id, status, due_at) VALUES (?, ?, ?)')
    .run(String(order.orderId), status, dueAt);
}

function refundedTotal(world: World, order: JsonObject): Decimal {
  const refunds = world.refunds.where('order_id = ?', String(order.orderId));
  const sameCurrency = refunds.filter((done) => done.refundCurrency === order.paymentCurrency);
  return sumOf(sameCurrency.map((done) => decimalOf(done.refundAmount)).filter((amount) => amount !== undefined));
}

function newRefund(world: World, order: JsonObject, refundId: string, request: RefundRequest): JsonObject {
  const method = isJsonObject(order.paymentMethod) ? order.paymentMethod : {};
  return {
    createTime: world.now(),
    refundId,
    refundMerchantOrderId: newId(world, 'rf'),
    orderId: order.orderId,
    customerId: order.customerId ?? null,
    refundAmount: request.amount,
    refundCurrency: request.currency ?? order.paymentCurrency ?? null,
    status: 'success',
    refundReason: 'Customer Initiated Refund',
    paymentInstrumentId: method.paymentInstrumentId ?? null,
    metadata: {},
  };
}
