import type { TaskName } from '../decisions/decision.ts';

const ALL: Readonly<Record<TaskName, true>> = {
  fulfill: true,
  page_outbox_failure: true,
  reprocess_webhook: true,
  reconcile_attempt: true,
  reconcile_session: true,
  refund_reconcile: true,
  apply_refund_policy: true,
  manual_reconciliation: true,
};

/** Every task, in the order in which a claimer looks at them: what somebody waits for comes first. */
export const TASK_NAMES = Object.keys(ALL) as readonly TaskName[];

/** The environment variable that names a task's own queue. */
export function queueVariable(task: TaskName): string {
  return `TASK_QUEUE_URL_${task.toUpperCase()}`;
}
