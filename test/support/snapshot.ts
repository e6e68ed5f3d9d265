import type { Sql } from '../../functions/database/connection.ts';

/** Everything stored about an order but the times of writing, for telling that something left it alone. */
export async function snapshotOf(owner: Sql, merchantOrderId: string) {
  const rowsOf = async (table: string, column: string, key: string) => {
    const rows = await owner.unsafe<{ row: Record<string, unknown> }[]>(
      `SELECT to_jsonb(t) - 'updated_at' AS row FROM ${table} AS t WHERE ${column} = $1 ORDER BY ${key}`,
      [merchantOrderId],
    );
    return rows.map(({ row }) => row);
  };
  const [orders, attempts, refunds, tasks, cases] = await Promise.all([
    rowsOf('merchant_orders', 'id', 'id'),
    rowsOf('payment_attempts', 'merchant_order_id', 'clink_order_id'),
    rowsOf('refunds', 'merchant_order_id', 'refund_id'),
    rowsOf('outbox', 'order_id', 'id'),
    rowsOf('reconciliation_cases', 'merchant_order_id', 'dedupe_key'),
  ]);
  return { order: orders[0], attempts, refunds, tasks, cases };
}

export interface StoredTask {
  readonly id: number;
  readonly task: string;
  readonly status: string;
  readonly attempt: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dedupeKey: string;
}

/** Tasks that an event has raised, oldest first; the way to those that no order is known for yet. */
export function tasksOfEvent(owner: Sql, eventId: string) {
  return owner<StoredTask[]>`
    SELECT id, task, status, attempt, payload, dedupe_key FROM outbox WHERE event_id = ${eventId} ORDER BY id`;
}

/** Reason codes of the decisions about one event, oldest first; also of those that could not name an order. */
export async function reasonsOf(owner: Sql, eventId: string): Promise<string[]> {
  const rows = await owner<{ reason: string }[]>`
    SELECT reason FROM order_journal WHERE source_id = ${eventId} ORDER BY id`;
  return rows.map(({ reason }) => reason);
}
