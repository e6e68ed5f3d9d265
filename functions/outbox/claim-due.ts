import { retryingLoss } from '../database/connection-loss.ts';
import { findDueTasks } from '../database/outbox.ts';
import type { TaskName } from '../decisions/decision.ts';
import { describeError, log } from '../platform/log.ts';
import { type ClaimDeps, claimTask } from './claim-task.ts';
import { type Dispatch, type DispatchDeps, dispatch } from './dispatch.ts';
import { TASK_NAMES } from './tasks.ts';

export interface ClaimDueDeps extends ClaimDeps, DispatchDeps {
  /** Whether this invocation may begin another pass. */
  readonly hasTime: () => boolean;
}

export type TaskCounts = Readonly<Record<Dispatch, number>>;
export type ClaimCounts = Map<TaskName, TaskCounts>;

const NONE: TaskCounts = { sent: 0, returned: 0, exhausted: 0 };

/**
 * Claims due rows of every task and sends them to their workers, pass after pass while there is something to claim and
 * time. A task that cannot be claimed or sent now holds up no other; a failure of the database is thrown at the end.
 */
export async function claimDue(deps: ClaimDueDeps): Promise<ClaimCounts> {
  const total: ClaimCounts = new Map();
  const errors: unknown[] = [];
  let tasks = TASK_NAMES;
  do {
    tasks = await claimPass(deps, tasks, total, errors);
  } while (tasks.length > 0 && deps.hasTime());
  for (const [task, counts] of total) log.info('tasks_claimed', { task, ...counts });
  if (errors.length > 0) throw errors[0];
  return total;
}

/** One pass over the given tasks, which come back without those in trouble; none when nothing was there to claim. */
async function claimPass(
  deps: ClaimDueDeps,
  tasks: readonly TaskName[],
  total: ClaimCounts,
  errors: unknown[],
): Promise<readonly TaskName[]> {
  const inTrouble = new Set<TaskName>();
  let claimed = 0;
  for (const task of await retryingLoss(() => findDueTasks(deps.sql, tasks))) {
    try {
      const counts = await claimAndDispatch(deps, task);
      total.set(task, sum(total.get(task) ?? NONE, counts));
      claimed += counts.sent + counts.returned + counts.exhausted;
      if (counts.returned > 0) inTrouble.add(task);
    } catch (error) {
      log.error('claim_failed', { task, ...describeError(error) });
      errors.push(error);
      inTrouble.add(task);
    }
  }
  return claimed > 0 ? tasks.filter((task) => !inTrouble.has(task)) : [];
}

async function claimAndDispatch(deps: ClaimDueDeps, task: TaskName): Promise<TaskCounts> {
  const tickets = await claimTask(deps, task);
  const dispatches = await Promise.allSettled(tickets.map((ticket) => dispatch(deps, ticket)));
  const counts = { ...NONE };
  for (const outcome of dispatches) {
    if (outcome.status === 'rejected') throw outcome.reason;
    counts[outcome.value] += 1;
  }
  return counts;
}

function sum(a: TaskCounts, b: TaskCounts): TaskCounts {
  return { sent: a.sent + b.sent, returned: a.returned + b.returned, exhausted: a.exhausted + b.exhausted };
}
