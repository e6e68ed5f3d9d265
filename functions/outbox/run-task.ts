import { retryingLoss } from '../database/connection-loss.ts';
import { type OwnedTask, takeOver } from '../database/outbox.ts';
import type { TaskName } from '../decisions/decision.ts';
import { log } from '../platform/log.ts';
import { startDeadline } from './deadline.ts';
import { type Lease, type LeaseDeps, startLease } from './lease.ts';
import { type OutcomeDeps, recordFailure, recordSuccess } from './record-outcome.ts';
import type { TicketMessage } from './ticket.ts';

export interface RunDeps extends LeaseDeps, OutcomeDeps {
  /** A value that no other claim has. */
  readonly newToken: () => string;
}

export interface Invocation {
  /** Leads from the row to this run's log. */
  readonly workerId: string;
  readonly remainingMs: number;
}

/** Does what a task asks for. Whatever it throws makes the task come back; `permanent: true` on it gives the task up. */
export type Work = (task: OwnedTask, lease: Lease) => Promise<void>;

/** A message reached a queue that is not its task's. */
class WrongQueueError extends Error {
  override readonly name = 'WrongQueue';
}

/**
 * Exchanges a ticket for ownership, does the work under a heartbeat, and writes the outcome on the row. Resolves also when
 * the work failed or there was nothing to run; throws only when the database could not be reached.
 */
export async function runTicket(
  deps: RunDeps,
  { taskId, claimToken, eventId }: TicketMessage,
  task: TaskName,
  work: Work,
  { workerId, remainingMs }: Invocation,
): Promise<void> {
  const { sql, newToken, leaseMs, timers } = deps;
  const deadline = startDeadline(remainingMs, timers);
  try {
    const take = { id: taskId, ticket: claimToken, claimToken: newToken(), workerId, leaseMs };
    // Taken over by a try whose answer was lost, the row is not run now but when its lease is over.
    const owned = await retryingLoss(() => takeOver(sql, take));
    if (!owned) return log.info('ticket_not_good_any_more', { taskId, task, eventId });

    const lease = startLease(deps, owned, deadline.signal);
    const run = owned.task === task ? work : refuseWrongQueue;
    const outcome = await settle(deadline.bound(Promise.try(run, owned, lease))).finally(lease.stop);
    if (lease.isLost) return;
    if (outcome.status === 'fulfilled') await recordSuccess(deps, owned);
    else await recordFailure(deps, owned, outcome.reason);
  } finally {
    deadline.cancel();
  }
}

async function settle(work: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome;
}

/** Counted as a failed try, so that a mistake in the wiring ends in a page and not in silence. */
async function refuseWrongQueue(): Promise<void> {
  throw new WrongQueueError('this task belongs to another worker');
}
