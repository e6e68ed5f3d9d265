import type { OrderPatch } from '../decisions/decision.ts';
import type { FulfillmentStatus, MerchantOrder, PaymentStatus, SessionStatus } from '../decisions/order.ts';
import type { Sql, Transaction } from './connection.ts';
import { attemptLock } from './payment-attempts.ts';

export interface ProductSnapshot {
  readonly id: string;
  readonly name: string;
  /** Major units as plain decimal text, as it was when the order was made. */
  readonly unitAmount: string;
  readonly quantity: number;
}

export interface NewMerchantOrder {
  readonly id: string;
  readonly customerId: string;
  readonly product: ProductSnapshot;
  readonly amount: string;
  readonly currency: string;
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
}

/** A checkout as a repeated request finds it. */
export interface Checkout {
  readonly id: string;
  readonly requestHash: string | null;
  readonly checkoutUrl: string | null;
  readonly product: ProductSnapshot;
  readonly amount: string;
  readonly currency: string;
}

export interface OrderForCustomer extends Pick<MerchantOrder, 'paymentStatus' | 'fulfillmentStatus' | 'sessionStatus'> {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly refundedAmount: string;
  /** What the order was paid in, which is what it is refunded in; null until it is paid. */
  readonly paidCurrency: string | null;
  readonly product: ProductSnapshot;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface OrderToFulfill {
  readonly merchantOrderId: string;
  readonly customerId: string;
  readonly clinkOrderId: string | null;
  readonly product: ProductSnapshot;
  readonly amount: string;
  readonly currency: string;
}

interface OrderRow {
  id: string;
  clinkSessionId: string | null;
  clinkSessionStatus: SessionStatus;
  clinkSessionLastEventCreated: number | null;
  currentClinkOrderId: string | null;
  currentAttemptConfirmed: boolean;
  paymentStatus: PaymentStatus;
  fulfillmentStatus: FulfillmentStatus;
  refundablePaidClinkOrderId: string | null;
  refundablePaidAmount: string | null;
  refundablePaidCurrency: string | null;
  refundedAmount: string;
}

const orderColumns = (sql: Sql | Transaction) => sql`
  id, clink_session_id, clink_session_status, clink_session_last_event_created, current_clink_order_id,
  current_attempt_confirmed, payment_status, fulfillment_status, refundable_paid_clink_order_id,
  trim_scale(refundable_paid_amount) AS refundable_paid_amount, refundable_paid_currency,
  trim_scale(refunded_amount) AS refunded_amount`;

/** Inserts an order, or nothing when this customer has one under the same idempotency key. Returns whether it did. */
export async function insertOrder(sql: Sql, order: NewMerchantOrder): Promise<boolean> {
  const inserted = await sql`
    INSERT INTO merchant_orders
      (id, customer_id, product_snapshot, original_amount, original_currency, idempotency_key, request_hash)
    VALUES (${order.id}, ${order.customerId}, ${sql.json({ ...order.product })}, ${order.amount}, ${order.currency},
            ${order.idempotencyKey}, ${order.requestHash})
    ON CONFLICT (customer_id, idempotency_key) DO NOTHING
    RETURNING id`;
  return inserted.count === 1;
}

export async function findCheckout(
  sql: Sql,
  customerId: string,
  idempotencyKey: string,
): Promise<Checkout | undefined> {
  const [checkout] = await sql<Checkout[]>`
    SELECT id, request_hash, clink_checkout_url AS checkout_url, product_snapshot AS product,
           trim_scale(original_amount) AS amount, original_currency AS currency
    FROM merchant_orders WHERE customer_id = ${customerId} AND idempotency_key = ${idempotencyKey}`;
  return checkout;
}

/** The URL to pay at, null while no session has been saved. */
export async function findCheckoutUrl(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql<
    { url: string | null }[]
  >`SELECT clink_checkout_url AS url FROM merchant_orders WHERE id = ${id}`;
  return row?.url ?? null;
}

/**
 * Lets one request ask Clink for the order's session, and gives what releases it. Null while another one asks, or when the
 * session is there.
 */
export async function acquireSessionLease(sql: Sql, id: string, leaseMs: number): Promise<string | null> {
  const [leased] = await sql<{ lease: string }[]>`
    UPDATE merchant_orders SET session_lease_until = now() + ${leaseMs} * interval '1 millisecond'
    WHERE id = ${id} AND clink_session_id IS NULL AND (session_lease_until IS NULL OR session_lease_until < now())
    RETURNING session_lease_until::text AS lease`;
  return leased?.lease ?? null;
}

/** Gives the lease back, unless it ran out and is another request's by now. */
export async function releaseSessionLease(sql: Sql, id: string, lease: string): Promise<void> {
  await sql`
    UPDATE merchant_orders SET session_lease_until = NULL
    WHERE id = ${id} AND session_lease_until = ${lease}::text::timestamptz`;
}

/**
 * Saves the session unless one is there already. Touches the session's columns, and the status only while nothing has
 * happened yet: a webhook may have been faster than this write.
 */
export function saveSession(tx: Transaction, id: string, clinkSessionId: string, checkoutUrl: string) {
  return tx`
    UPDATE merchant_orders
    SET clink_session_id = ${clinkSessionId}, clink_checkout_url = ${checkoutUrl}, session_lease_until = NULL,
        payment_status = CASE payment_status WHEN 'created' THEN 'pending' ELSE payment_status END, updated_at = now()
    WHERE id = ${id} AND clink_session_id IS NULL`;
}

export async function lockOrder(tx: Transaction, id: string | null): Promise<MerchantOrder | null> {
  const [row] = await tx<OrderRow[]>`SELECT ${orderColumns(tx)} FROM merchant_orders WHERE id = ${id} FOR UPDATE`;
  return row ? toOrder(row) : null;
}

/** Locks an attempt and then the order that an event about it names; neither when there is no such order. */
export async function lockAttemptAndOrder(
  tx: Transaction,
  clinkOrderId: string,
  id: string | null,
): Promise<MerchantOrder | null> {
  const [row] = await tx<OrderRow[]>`
    SELECT ${orderColumns(tx)} FROM merchant_orders
    WHERE id = ${id} AND ${attemptLock(tx, clinkOrderId)} IS NOT NULL FOR UPDATE`;
  return row ? toOrder(row) : null;
}

/** Locks the order that owns the attempt, or else the refund; null when neither is known. */
export async function lockOrderOfRefund(
  tx: Transaction,
  clinkOrderId: string | null,
  refundId: string | null,
): Promise<MerchantOrder | null> {
  const [row] = await tx<OrderRow[]>`
    SELECT ${orderColumns(tx)} FROM merchant_orders
    WHERE id = COALESCE((SELECT merchant_order_id FROM payment_attempts WHERE clink_order_id = ${clinkOrderId}),
                        (SELECT merchant_order_id FROM refunds WHERE refund_id = ${refundId}))
    FOR UPDATE`;
  return row ? toOrder(row) : null;
}

/** The order without a lock, for asking Clink about it outside of any transaction. */
export async function findOrder(sql: Sql, id: string): Promise<MerchantOrder | null> {
  const [row] = await sql<OrderRow[]>`SELECT ${orderColumns(sql)} FROM merchant_orders WHERE id = ${id}`;
  return row ? toOrder(row) : null;
}

export async function findOrderOfCustomer(
  sql: Sql,
  customerId: string,
  id: string,
): Promise<OrderForCustomer | undefined> {
  const [order] = await sql<OrderForCustomer[]>`
    SELECT id, payment_status, fulfillment_status, clink_session_status AS session_status,
           trim_scale(original_amount) AS amount, original_currency AS currency,
           trim_scale(refunded_amount) AS refunded_amount, refundable_paid_currency AS paid_currency,
           product_snapshot AS product, created_at, updated_at
    FROM merchant_orders WHERE id = ${id} AND customer_id = ${customerId}`;
  return order;
}

export async function findOrderToFulfill(sql: Sql, id: string): Promise<OrderToFulfill | undefined> {
  const [order] = await sql<OrderToFulfill[]>`
    SELECT id AS merchant_order_id, customer_id, refundable_paid_clink_order_id AS clink_order_id,
           product_snapshot AS product, trim_scale(original_amount) AS amount, original_currency AS currency
    FROM merchant_orders WHERE id = ${id}`;
  return order;
}

/** Writes the changed columns of an order whose row this transaction has locked. */
export function updateOrder(tx: Transaction, id: string, patch: OrderPatch) {
  const { sessionStatus, sessionEventCreated, refundBasis, ...sameName } = patch;
  const columns = {
    ...sameName,
    ...(sessionStatus === undefined ? {} : { clinkSessionStatus: sessionStatus }),
    ...(sessionEventCreated === undefined ? {} : { clinkSessionLastEventCreated: sessionEventCreated }),
    ...(refundBasis === undefined
      ? {}
      : {
          refundablePaidClinkOrderId: refundBasis?.clinkOrderId ?? null,
          refundablePaidAmount: refundBasis?.amount ?? null,
          refundablePaidCurrency: refundBasis?.currency ?? null,
        }),
  };
  return tx`UPDATE merchant_orders SET ${tx(columns)}, updated_at = now() WHERE id = ${id}`;
}

export async function setFulfillmentStatus(sql: Sql, id: string, status: FulfillmentStatus): Promise<void> {
  await sql`
    UPDATE merchant_orders SET fulfillment_status = ${status}, updated_at = now()
    WHERE id = ${id} AND fulfillment_status <> ${status}`;
}

function toOrder(row: OrderRow): MerchantOrder {
  const { refundablePaidClinkOrderId, refundablePaidAmount, refundablePaidCurrency } = row;
  return {
    id: row.id,
    clinkSessionId: row.clinkSessionId,
    sessionStatus: row.clinkSessionStatus,
    sessionEventCreated: row.clinkSessionLastEventCreated,
    currentClinkOrderId: row.currentClinkOrderId,
    currentAttemptConfirmed: row.currentAttemptConfirmed,
    paymentStatus: row.paymentStatus,
    fulfillmentStatus: row.fulfillmentStatus,
    refundBasis:
      refundablePaidClinkOrderId && refundablePaidAmount && refundablePaidCurrency
        ? { clinkOrderId: refundablePaidClinkOrderId, amount: refundablePaidAmount, currency: refundablePaidCurrency }
        : null,
    refundedAmount: row.refundedAmount,
  };
}
