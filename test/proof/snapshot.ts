import { readEvent } from '../../functions/clink/wire.ts';
import type { Sql } from '../../functions/database/connection.ts';
import type { Evidence, TaskName } from '../../functions/decisions/decision.ts';
import type { ClinkEvent } from '../../functions/decisions/event.ts';
import type { MerchantOrder, PaymentAttempt } from '../../functions/decisions/order.ts';
import { type JournalRow, MemoryStore, pageKey, type StoredRefund } from '../support/memory-store.ts';

/** Everything that is stored at one moment, in the words of the decisions, whichever store it is stored in. */
export interface Snapshot {
  readonly orders: readonly MerchantOrder[];
  readonly attempts: readonly PaymentAttempt[];
  readonly refunds: readonly StoredRefund[];
  readonly cases: readonly Case[];
  readonly tasks: readonly Task[];
  readonly events: readonly { readonly event: ClinkEvent; readonly status: string }[];
  /** Oldest first; all other lists are in no order that means anything. */
  readonly journal: readonly JournalRow[];
}

export interface Case {
  readonly dedupeKey: string;
  readonly eventId: string;
  readonly merchantOrderId: string;
  readonly clinkOrderId: string | null;
  readonly refundId: string | null;
  readonly reason: string;
  readonly evidence: Evidence;
}

export interface Task {
  readonly dedupeKey: string;
  readonly task: TaskName;
  readonly eventId: string;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly attempt: number;
  /** Whether a claimer may take it now. */
  readonly due: boolean;
  readonly claimToken: string | null;
  readonly started: boolean;
  readonly woken: boolean;
}

export function snapshotOfStore(store: MemoryStore): Snapshot {
  return {
    orders: [...store.orders.values()],
    attempts: [...store.attempts.values()],
    refunds: [...store.refunds.values()],
    cases: [...store.cases.values()],
    tasks: Array.from(store.tasks.values(), (task) => ({ ...task, claimToken: null, started: false, woken: false })),
    events: [...store.events.values()],
    journal: [...store.journal],
  };
}

/** A store with what decisions read of a snapshot. */
export function storeOf({ orders, attempts, refunds }: Snapshot): MemoryStore {
  const store = new MemoryStore(orders);
  for (const attempt of attempts) store.attempts.set(attempt.clinkOrderId, attempt);
  for (const refund of refunds) store.refunds.set(refund.refundId, refund);
  return store;
}

/** What is committed. Sent at once, so it is one moment only while nobody writes. */
export async function snapshotOfDatabase(owner: Sql): Promise<Snapshot> {
  const [orders, attempts, refunds, cases, tasks, events, journal] = await Promise.all([
    owner<(Omit<MerchantOrder, 'refundBasis'> & { basis: MerchantOrder['refundBasis'] })[]>`
      SELECT id, clink_session_id, clink_session_status AS session_status,
             clink_session_last_event_created AS session_event_created, current_clink_order_id,
             current_attempt_confirmed, payment_status, fulfillment_status,
             trim_scale(refunded_amount) AS refunded_amount,
             CASE WHEN refundable_paid_clink_order_id IS NOT NULL THEN jsonb_build_object(
               'clinkOrderId', refundable_paid_clink_order_id,
               'amount', trim_scale(refundable_paid_amount)::text,
               'currency', refundable_paid_currency) END AS basis
      FROM merchant_orders`,
    owner<PaymentAttempt[]>`
      SELECT clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at, last_event_created,
             failure_code, failure_message
      FROM payment_attempts`,
    owner<StoredRefund[]>`
      SELECT refund_id, merchant_order_id, clink_order_id, trim_scale(amount) AS amount, currency, first_event_id
      FROM refunds`,
    owner<Case[]>`
      SELECT dedupe_key, event_id, merchant_order_id, clink_order_id, refund_id, reason, evidence
      FROM reconciliation_cases`,
    owner<(Task & { id: number })[]>`
      SELECT id, dedupe_key, task, event_id, order_id AS merchant_order_id, clink_order_id, payload, status, attempt,
             COALESCE(due_at <= now(), FALSE) AS due, claim_token, started_at IS NOT NULL AS started, woken
      FROM outbox ORDER BY id`,
    owner<{ payload: string; status: string }[]>`SELECT payload, status FROM webhook_events`,
    owner<JournalRow[]>`
      SELECT merchant_order_id, clink_order_id, outcome, reason, payment_status_before, payment_status_after, source,
             source_id
      FROM order_journal ORDER BY id`,
  ]);
  const keyOf = new Map(tasks.map(({ id, dedupeKey }) => [id, dedupeKey]));
  return {
    orders: orders.map(({ basis, ...order }) => ({ ...order, refundBasis: basis })),
    attempts: [...attempts],
    refunds: [...refunds],
    cases: [...cases],
    tasks: tasks.map(({ id: _, ...task }) => (task.task === 'page_outbox_failure' ? pageOf(task, keyOf) : task)),
    events: events.map(({ payload, status }) => ({ event: readEvent(payload), status })),
    journal: [...journal],
  };
}

/** A page speaks of the failed task's row by a number, which no other store has. */
function pageOf(page: Task, keyOf: ReadonlyMap<number, string>): Task {
  const failedKey = keyOf.get(Number(page.payload.failedTaskId)) ?? 'a task that is not there';
  return { ...page, payload: {}, dedupeKey: pageKey(failedKey) };
}

/** The same for equal contents, whatever order rows and fields came in. */
export function comparable(snapshot: Snapshot) {
  const sorted = Object.entries(snapshot).map(([name, rows]: [string, readonly object[]]) => {
    const texts = rows.map((row) => JSON.stringify(inOrder(row)));
    return [name, name === 'journal' ? texts : texts.sort()] as const;
  });
  return Object.fromEntries(sorted);
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, inOrder(field)]));
}
