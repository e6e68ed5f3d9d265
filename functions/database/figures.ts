import type { TaskName } from '../decisions/decision.ts';
import type { Sql } from './connection.ts';

/** How the outbox and what hangs on it are doing. Ages are in whole seconds, zero when nothing is that old. */
export interface Figures {
  readonly oldestDueTaskSeconds: number;
  readonly oldestExpiredLeaseSeconds: number;
  readonly oldestUnsentPageSeconds: number;
  readonly oldestDeferredEventSeconds: number;
  readonly openReviewCases: number;
}

/** Reads the figures, each from an index of unfinished rows alone: history costs nothing. */
export async function readFigures(sql: Sql, tasks: readonly TaskName[]): Promise<Figures> {
  const [figures] = await sql<Figures[]>`
    WITH oldest AS (
      SELECT
        (SELECT min(first.due_at) FROM unnest(${tasks}::text[]) AS asked (task) CROSS JOIN LATERAL (
           SELECT due_at FROM outbox WHERE outbox.task = asked.task AND due_at <= now()
           ORDER BY due_at, id LIMIT 1) AS first) AS due,
        (SELECT min(first.lease_until) FROM unnest(${tasks}::text[]) AS asked (task) CROSS JOIN LATERAL (
           SELECT lease_until FROM outbox
           WHERE outbox.task = asked.task AND due_at = lease_until AND lease_until <= now()
           ORDER BY lease_until LIMIT 1) AS first) AS expired,
        (SELECT min(created_at) FROM outbox WHERE task = 'page_outbox_failure' AND due_at IS NOT NULL) AS unsent_page,
        (SELECT created_at FROM webhook_events WHERE status = 'pending' ORDER BY created_at LIMIT 1) AS deferred
    )
    SELECT ${seconds(sql, 'due')} AS oldest_due_task_seconds,
           ${seconds(sql, 'expired')} AS oldest_expired_lease_seconds,
           ${seconds(sql, 'unsent_page')} AS oldest_unsent_page_seconds,
           ${seconds(sql, 'deferred')} AS oldest_deferred_event_seconds,
           (SELECT count(*) FROM reconciliation_cases WHERE status <> 'resolved') AS open_review_cases
    FROM oldest`;
  if (!figures) throw new Error('a query without a condition gave no row');
  return figures;
}

/** How many rows of each task have failed for good and still stand so. */
export async function countFailed(sql: Sql): Promise<ReadonlyMap<TaskName, number>> {
  const rows = await sql<{ task: TaskName; failed: number }[]>`
    SELECT task, count(*) AS failed FROM outbox WHERE status = 'failed' GROUP BY task`;
  return new Map(rows.map(({ task, failed }) => [task, failed]));
}

const seconds = (sql: Sql, since: string) =>
  sql`COALESCE(GREATEST(0, extract(epoch FROM now() - ${sql(since)}))::bigint, 0)`;
