import type { Sql } from '../database/connection.ts';
import { countFailed, readFigures } from '../database/figures.ts';
import { gauge } from '../platform/metrics.ts';
import { TASK_NAMES } from './tasks.ts';

/** Publishes what the alarms watch, zeros too: an alarm can only end, or be seen to be alive, by a figure that comes. */
export async function publishFigures(sql: Sql): Promise<void> {
  const [figures, failed] = await Promise.all([readFigures(sql, TASK_NAMES), countFailed(sql)]);
  gauge('OldestDueTaskSeconds', figures.oldestDueTaskSeconds);
  gauge('OldestExpiredLeaseSeconds', figures.oldestExpiredLeaseSeconds);
  gauge('OldestUnsentPageSeconds', figures.oldestUnsentPageSeconds);
  gauge('OldestDeferredEventSeconds', figures.oldestDeferredEventSeconds);
  gauge('OpenReviewCases', figures.openReviewCases);
  for (const task of TASK_NAMES) gauge('FailedTasks', failed.get(task) ?? 0, { task });
}
