import type { Sql } from '../database/connection.ts';
import { type Failure, finishTask, hasDueTask, type OwnedTask, retryTask } from '../database/outbox.ts';
import { describeError, log } from '../platform/log.ts';
import type { WakeUp } from '../platform/queues.ts';
import { type BackoffSettings, backoffMs } from './backoff.ts';
import { exhaust } from './exhaust.ts';
import { logged } from './logged.ts';

export interface OutcomeDeps {
  readonly sql: Sql;
  readonly wakeUp: WakeUp;
  readonly maxAttempt: number;
  readonly backoff: BackoffSettings;
  /** At least 0, less than 1. */
  readonly random: () => number;
}

/** Both throw only when the database cannot be told; what another worker owns by now is left alone. */
export async function recordSuccess(deps: OutcomeDeps, owned: OwnedTask): Promise<void> {
  if (!(await finishTask(deps.sql, owned))) return discard(owned);
  log.info('task_succeeded', logged(owned));
  await wakeForBacklog(deps, owned);
}

export async function recordFailure(deps: OutcomeDeps, owned: OwnedTask, error: unknown): Promise<void> {
  const failure = failureOf(error);
  const attempt = owned.attempt + 1;
  const isLast = attempt >= deps.maxAttempt || isPermanent(error);
  if (isLast && !isPage(owned) && (await exhaust(deps.sql, { ...owned, attempt }, failure))) return deps.wakeUp();

  const delayMs = backoffMs(attempt, deps.backoff, deps.random);
  const retry = await retryTask(deps.sql, owned, failure, delayMs);
  if (!retry) return discard(owned);
  log.warn('task_to_be_retried', { ...logged(owned), attempt, delayMs, ...failure });
  await deps.wakeUp(retry.dueNow ? 0 : delayMs);
  await wakeForBacklog(deps, owned);
}

/** A page about a page would go the way that does not work; it is tried for ever instead. */
function isPage({ task }: OwnedTask): boolean {
  return task === 'page_outbox_failure';
}

function isPermanent(error: unknown): boolean {
  return (Object(error) as { permanent?: unknown }).permanent === true;
}

function failureOf(error: unknown): Failure {
  const { errorName, errorCode, errorStatus } = describeError(error);
  return { errorName, errorCode: errorCode ?? (errorStatus === undefined ? null : String(errorStatus)) };
}

function discard(owned: OwnedTask): void {
  log.warn('outcome_discarded', logged(owned));
}

/** Rows beyond the in-flight limit had no wake-up of their own left; the outcome is safe, so this may fail quietly. */
async function wakeForBacklog({ sql, wakeUp }: OutcomeDeps, { task }: OwnedTask): Promise<void> {
  try {
    if (await hasDueTask(sql, task)) await wakeUp();
  } catch (error) {
    log.warn('backlog_unknown', { task, ...describeError(error) });
  }
}
