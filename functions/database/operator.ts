import type { TaskName } from '../decisions/decision.ts';
import type { PaymentStatus } from '../decisions/order.ts';
import type { Sql, Transaction } from './connection.ts';

/** What an operator did to an order, as the journal calls it. */
export type OperatorReason = 'task_retried' | 'task_closed' | 'case_resolved';

export interface FailedTask {
  readonly id: number;
  readonly task: TaskName;
  readonly eventId: string;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly dedupeKey: string;
}

export interface OperatorEntry {
  /** Names what was changed: the dedupe key of a task, or of a case. */
  readonly sourceId: string;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly reason: OperatorReason;
  readonly paymentStatus: PaymentStatus | null;
}

/** The order that a merchant order id, a Clink order id or an event id belongs to. */
export async function findOrderId(sql: Sql, id: string): Promise<string | null> {
  const [found] = await sql<{ merchantOrderId: string | null }[]>`
    WITH event AS (SELECT merchant_order_ref, clink_order_ref, clink_session_ref FROM webhook_events WHERE id = ${id})
    SELECT COALESCE(
      (SELECT id FROM merchant_orders WHERE id = ${id}),
      (SELECT merchant_order_id FROM payment_attempts WHERE clink_order_id = ${id}),
      (SELECT merchant_order_id FROM order_journal
       WHERE source_id = ${id} AND merchant_order_id IS NOT NULL ORDER BY id DESC LIMIT 1),
      (SELECT id FROM merchant_orders WHERE id = (SELECT merchant_order_ref FROM event)),
      (SELECT merchant_order_id FROM payment_attempts WHERE clink_order_id = (SELECT clink_order_ref FROM event)),
      (SELECT id FROM merchant_orders WHERE clink_session_id = (SELECT clink_session_ref FROM event))
    ) AS merchant_order_id`;
  return found?.merchantOrderId ?? null;
}

/** Everything that is stored about an order, or about an event without one: ids, codes and amounts, and no body. */
export async function readStory(sql: Sql, asked: string, merchantOrderId: string | null) {
  const events = await listEvents(sql, asked, merchantOrderId);
  const work = events.map(({ id }) => `reprocess_webhook:${id}`);
  const tasks = await sql`
    SELECT ${taskColumns(sql)} FROM outbox WHERE order_id = ${merchantOrderId} OR dedupe_key = ANY(${work}) ORDER BY id`;
  const sources = [asked, ...work, ...tasks.map(({ dedupeKey }) => String(dedupeKey))];
  const [order, attempts, refunds, journal, cases] = await Promise.all([
    sql`
      SELECT id, payment_status, fulfillment_status, clink_session_status, trim_scale(original_amount) AS amount,
             original_currency AS currency, clink_session_id, current_clink_order_id, current_attempt_confirmed,
             refundable_paid_clink_order_id, trim_scale(refundable_paid_amount) AS refundable_paid_amount,
             refundable_paid_currency, trim_scale(refunded_amount) AS refunded_amount,
             trim_scale(applied_refund_amount) AS applied_refund_amount, created_at, updated_at
      FROM merchant_orders WHERE id = ${merchantOrderId}`,
    sql`
      SELECT clink_order_id, status, failure_code, clink_session_id, attempt_created_at, last_event_created, updated_at
      FROM payment_attempts WHERE merchant_order_id = ${merchantOrderId} ORDER BY received_at, clink_order_id`,
    sql`
      SELECT refund_id, clink_order_id, trim_scale(amount) AS amount, currency, first_event_id, created_at
      FROM refunds WHERE merchant_order_id = ${merchantOrderId} ORDER BY created_at, refund_id`,
    sql`
      SELECT id, created_at, source, source_id, clink_order_id, outcome, reason, payment_status_before,
             payment_status_after
      FROM order_journal WHERE merchant_order_id = ${merchantOrderId} OR source_id = ANY(${sources}) ORDER BY id`,
    sql`
      SELECT dedupe_key AS case_key, status, reason, event_id, clink_order_id, refund_id, created_at, updated_at
      FROM reconciliation_cases WHERE merchant_order_id = ${merchantOrderId} ORDER BY created_at, dedupe_key`,
  ]);
  return { order, attempts, refunds, journal, events, tasks, cases };
}

/** Those that were decided for the order, those that wait for it, and the one that was asked about. */
async function listEvents(sql: Sql, asked: string, merchantOrderId: string | null) {
  return sql<{ id: string; type: string; status: string }[]>`
    WITH of_order AS (
      SELECT source_id AS id FROM order_journal WHERE merchant_order_id = ${merchantOrderId}
      UNION SELECT id FROM webhook_events WHERE status = 'pending' AND merchant_order_ref = ${merchantOrderId}
      UNION SELECT id FROM webhook_events WHERE status = 'pending' AND clink_order_ref IN (
        SELECT clink_order_id FROM payment_attempts WHERE merchant_order_id = ${merchantOrderId})
      UNION SELECT id FROM webhook_events WHERE status = 'pending' AND clink_session_ref = (
        SELECT clink_session_id FROM merchant_orders WHERE id = ${merchantOrderId})
      UNION SELECT ${asked}
    )
    SELECT id, type, status, merchant_order_ref, clink_order_ref, clink_session_ref, created_at, updated_at
    FROM webhook_events WHERE id IN (SELECT id FROM of_order) ORDER BY created_at, id`;
}

const taskColumns = (sql: Sql) => sql`
  id, task, status, attempt, last_error, CASE status WHEN 'pending' THEN next_retry_at END AS next_try_at, lease_until,
  order_id AS merchant_order_id, event_id, dedupe_key, created_at, updated_at`;

/** Tasks that failed for good, the oldest failure first. */
export async function listFailedTasks(sql: Sql, limit: number) {
  return sql`SELECT ${taskColumns(sql)} FROM outbox WHERE status = 'failed' ORDER BY updated_at, id LIMIT ${limit}`;
}

/** Events that still wait for something, the oldest first, each with how its next try stands. */
export async function listDeferredEvents(sql: Sql, limit: number) {
  return sql`
    SELECT event.id, event.type, event.created_at, event.merchant_order_ref, event.clink_order_ref,
           event.clink_session_ref, task.id AS task_id, task.status AS task_status, task.attempt, task.last_error,
           CASE task.status WHEN 'pending' THEN task.next_retry_at END AS next_try_at
    FROM webhook_events AS event LEFT JOIN outbox AS task ON task.dedupe_key = 'reprocess_webhook:' || event.id
    WHERE event.status = 'pending' ORDER BY event.created_at, event.id LIMIT ${limit}`;
}

export async function findFailedTask(sql: Sql, id: number): Promise<FailedTask | undefined> {
  const [task] = await sql<FailedTask[]>`
    SELECT id, task, event_id, order_id AS merchant_order_id, clink_order_id, dedupe_key FROM outbox
    WHERE id = ${id} AND status = 'failed'`;
  return task;
}

/** Gives a failed task a fresh set of tries, due now. False when it is not failed any more. */
export async function reviveTask(tx: Transaction, id: number): Promise<boolean> {
  const revived = await tx`
    UPDATE outbox SET status = 'pending', attempt = 0, next_retry_at = now(), updated_at = now()
    WHERE id = ${id} AND status = 'failed'`;
  return revived.count === 1;
}

/** Sets a failed task aside for good. False when it is not failed any more. */
export async function closeTask(tx: Transaction, id: number): Promise<boolean> {
  const closed = await tx`
    UPDATE outbox SET status = 'closed', updated_at = now() WHERE id = ${id} AND status = 'failed'`;
  return closed.count === 1;
}

/** A deferred event is not decided any more, whatever comes. */
export function giveUpEvent(tx: Transaction, id: string) {
  return tx`UPDATE webhook_events SET status = 'failed', updated_at = now() WHERE id = ${id} AND status = 'pending'`;
}

/** False when the case was resolved before. */
export async function resolveOpenCase(tx: Transaction, caseKey: string): Promise<boolean> {
  const resolved = await tx`
    UPDATE reconciliation_cases SET status = 'resolved', updated_at = now()
    WHERE dedupe_key = ${caseKey} AND status <> 'resolved'`;
  return resolved.count === 1;
}

export function appendOperatorEntry(tx: Transaction, { paymentStatus, ...entry }: OperatorEntry) {
  return tx`
    INSERT INTO order_journal ${tx({
      ...entry,
      source: 'operator',
      outcome: 'done',
      paymentStatusBefore: paymentStatus,
      paymentStatusAfter: paymentStatus,
    })}`;
}
