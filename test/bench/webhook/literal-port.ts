import type { Sql } from '../../../functions/database/connection.ts';
import type { ClinkEvent, OrderEvent } from '../../../functions/decisions/event.ts';
import { Money } from '../../../functions/decisions/money.ts';
import type { PaymentAttempt, PaymentStatus } from '../../../functions/decisions/order.ts';
import type { Received, SignedBody } from '../../../functions/flows/receive-event.ts';

/**
 * The handler as Clink's integration guide tells it, step by step and each step awaited: what the round trips of the
 * real one are measured against. What our schema has beside the guide's travels in the guide's own statements. Only
 * the histories that are measured are carried through; the guide's ways out of conflicts throw here.
 */
export async function receiveLiterally(sql: Sql, event: ClinkEvent, body: SignedBody): Promise<Received> {
  if (event.kind !== 'order') throw new NotMeasuredError(event.type);
  await sql.begin(async (tx) => {
    await tx`
      INSERT INTO webhook_events (id, type, payload, body_hash, merchant_order_ref, clink_order_ref, clink_session_ref)
      VALUES (${event.id}, ${event.type}, ${body.text}, ${body.hash}, ${event.merchantOrderId}, ${event.clinkOrderId},
              ${event.clinkSessionId})`;
    const order = await lockOrder(tx, event);
    const { attempt, reason } = await upsertAttempt(tx, event);
    let { paymentStatus } = order;
    if (attempt.status === 'succeeded') await saveRefundBasis(tx, event);
    if (event.type === 'order.created' && order.currentClinkOrderId === null) {
      await tx`
        UPDATE merchant_orders
        SET current_clink_order_id = ${event.clinkOrderId}, current_attempt_confirmed = FALSE, updated_at = now()
        WHERE id = ${order.id}`;
    }
    paymentStatus = await aggregatePayment(tx, event, order);
    await tx`
      WITH journal AS (
        INSERT INTO order_journal (merchant_order_id, source, source_id, clink_order_id, outcome, reason,
                                   payment_status_before, payment_status_after)
        VALUES (${order.id}, 'webhook', ${event.id}, ${event.clinkOrderId}, 'done', ${reason}, ${order.paymentStatus},
                ${paymentStatus}))
      UPDATE webhook_events SET status = 'processed', updated_at = now() WHERE id = ${event.id}`;
  });
  return 'stored';
}

type Tx = Parameters<Parameters<Sql['begin']>[1]>[0];

interface Order {
  readonly id: string;
  readonly clinkSessionId: string | null;
  readonly currentClinkOrderId: string | null;
  readonly paymentStatus: PaymentStatus;
}

class NotMeasuredError extends Error {
  override readonly name = 'NotMeasuredError';
}

async function lockOrder(tx: Tx, event: OrderEvent): Promise<Order> {
  const [order] = await tx<Order[]>`
    SELECT id, clink_session_id, current_clink_order_id, payment_status FROM merchant_orders
    WHERE id = ${event.merchantOrderId} FOR UPDATE`;
  if (order === undefined || order.clinkSessionId !== event.clinkSessionId) throw new NotMeasuredError(event.id);
  return order;
}

async function upsertAttempt(tx: Tx, event: OrderEvent): Promise<{ attempt: PaymentAttempt; reason: string }> {
  const stored = await findAttempt(tx, event);
  if (stored === undefined) {
    const [attempt] = await tx<PaymentAttempt[]>`
      INSERT INTO payment_attempts (clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at,
                                    last_event_created, failure_code, failure_message)
      VALUES (${event.clinkOrderId}, ${event.merchantOrderId}, ${event.clinkSessionId}, ${event.attemptStatus},
              ${event.type === 'order.created' ? event.created : null}, ${event.created}, ${event.failureCode},
              ${event.failureMessage})
      ON CONFLICT (clink_order_id) DO NOTHING
      RETURNING clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at, last_event_created`;
    if (attempt === undefined) throw new NotMeasuredError(event.id);
    return { attempt, reason: 'attempt_inserted' };
  }
  if (stored.merchantOrderId !== event.merchantOrderId || (event.created ?? 0) <= stored.lastEventCreated) {
    throw new NotMeasuredError(event.id);
  }
  await tx`
    UPDATE payment_attempts
    SET status = ${event.attemptStatus}, last_event_created = ${event.created}, failure_code = ${event.failureCode},
        failure_message = ${event.failureMessage}, updated_at = now()
    WHERE clink_order_id = ${event.clinkOrderId}`;
  return { attempt: { ...stored, status: event.attemptStatus }, reason: 'attempt_advanced' };
}

async function findAttempt(tx: Tx, event: OrderEvent): Promise<PaymentAttempt | undefined> {
  const [attempt] = await tx<PaymentAttempt[]>`
    SELECT clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at, last_event_created
    FROM payment_attempts WHERE clink_order_id = ${event.clinkOrderId}`;
  return attempt;
}

async function saveRefundBasis(tx: Tx, event: OrderEvent): Promise<void> {
  const attempt = await findAttempt(tx, event);
  if (attempt?.status !== 'succeeded' || attempt.clinkSessionId !== event.clinkSessionId) {
    throw new NotMeasuredError(event.id);
  }
  await tx`
    UPDATE merchant_orders
    SET refundable_paid_clink_order_id = ${event.clinkOrderId},
        refundable_paid_amount = ${new Money(event.amountTotal ?? '').toFixed()},
        refundable_paid_currency = ${event.paymentCurrency}, updated_at = now()
    WHERE id = ${event.merchantOrderId}`;
}

async function aggregatePayment(tx: Tx, event: OrderEvent, order: Order): Promise<PaymentStatus> {
  const attempts = await tx<PaymentAttempt[]>`
    SELECT clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at, last_event_created
    FROM payment_attempts WHERE merchant_order_id = ${order.id}`;
  const paid = attempts.find(({ status }) => status === 'succeeded');
  if (paid === undefined) return 'pending';
  await tx`
    UPDATE merchant_orders SET payment_status = 'paid', fulfillment_status = 'pending', updated_at = now()
    WHERE id = ${order.id} AND payment_status = ${order.paymentStatus}`;
  await tx`
    INSERT INTO outbox (event_id, task, order_id, clink_order_id, dedupe_key)
    VALUES (${event.id}, 'fulfill', ${order.id}, ${paid.clinkOrderId}, ${`fulfill:${order.id}`})
    ON CONFLICT (dedupe_key) DO NOTHING`;
  return 'paid';
}
