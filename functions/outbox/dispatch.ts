import type { Sql } from '../database/connection.ts';
import { type Failure, retryTask, returnUnsent, type Ticket } from '../database/outbox.ts';
import type { TaskName } from '../decisions/decision.ts';
import { describeError, log, loggable } from '../platform/log.ts';
import { exhaust } from './exhaust.ts';
import { logged } from './logged.ts';
import { writeTicket } from './ticket.ts';

export interface DispatchDeps {
  readonly sql: Sql;
  readonly maxAttempt: number;
  readonly send: (queueUrl: string, body: string) => Promise<void>;
  readonly queueUrlOf: (task: TaskName) => string;
}

export type Dispatch = 'sent' | 'returned' | 'exhausted';

/** What is known of a worker that never reported: it had started, and its lease ran out. */
const NEVER_REPORTED: Failure = { errorName: 'LeaseExpired', errorCode: null };

/** Hands a claimed row to its worker. One that cannot be sent is given back at once, its tries untouched. */
export async function dispatch(deps: DispatchDeps, ticket: Ticket): Promise<Dispatch> {
  if (hasKilledItsWorkers(ticket, deps.maxAttempt)) return giveUp(deps.sql, ticket);
  try {
    const message = writeTicket({
      taskId: ticket.id,
      claimToken: ticket.claimToken,
      eventId: loggable(ticket.eventId),
    });
    await deps.send(deps.queueUrlOf(ticket.task), message);
    return 'sent';
  } catch (error) {
    log.warn('ticket_not_sent', { ...logged(ticket), ...describeError(error) });
    await returnUnsent(deps.sql, ticket);
    return 'returned';
  }
}

/** Failures that a worker lived to report end in `failed` there; tries that are used up here were crashes. */
function hasKilledItsWorkers({ task, attempt }: Ticket, maxAttempt: number): boolean {
  return attempt >= maxAttempt && task !== 'page_outbox_failure';
}

async function giveUp(sql: Sql, ticket: Ticket): Promise<Dispatch> {
  if (await exhaust(sql, ticket, NEVER_REPORTED)) return 'exhausted';
  // Woken since the claim: it is due again with a fresh set of tries.
  await retryTask(sql, ticket, NEVER_REPORTED, 0);
  return 'returned';
}
