import type { NewTask, Payload, TaskName } from '../decisions/decision.ts';
import type { Sql, Transaction } from './connection.ts';

/** A task that this process owns under `claimToken` until its lease ends. */
export interface OwnedTask {
  readonly id: number;
  readonly task: TaskName;
  readonly eventId: string;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly payload: Payload;
  readonly dedupeKey: string;
  /** Failed tries so far. */
  readonly attempt: number;
  readonly claimToken: string;
}

/** A claimed row on its way to a worker. */
export type Ticket = Pick<OwnedTask, 'id' | 'task' | 'eventId' | 'merchantOrderId' | 'claimToken' | 'attempt'>;

export interface Failure {
  readonly errorName: string;
  readonly errorCode: string | null;
}

/** PostgreSQL's number of the type; a list whose type is said needs no asking on a fresh connection. */
const TEXT = 25;

/** What a row that nobody owns has in the columns of a lease. */
const noLease = (sql: Sql | Transaction) =>
  sql`claim_token = NULL, worker_id = NULL, lease_until = NULL, started_at = NULL`;

const milliseconds = (sql: Sql | Transaction, ms: number) => sql`${ms} * interval '1 millisecond'`;

/** Queues work once for each dedupe key. Work that had failed for good and is asked for anew gets a fresh set of tries. */
export function queueTask(sql: Sql | Transaction, eventId: string, task: NewTask) {
  const { merchantOrderId, payload, ...columns } = task;
  return sql`
    INSERT INTO outbox ${sql({ ...columns, eventId, order_id: merchantOrderId, payload: sql.json({ ...payload }) })}
    ON CONFLICT (dedupe_key) DO UPDATE SET status = 'pending', attempt = 0, next_retry_at = now(), updated_at = now()
    WHERE outbox.status = 'failed'`;
}

export interface Awaited {
  readonly merchantOrderId: string;
  readonly clinkSessionId: string | null;
  readonly clinkOrderIds: readonly string[];
  /** The event that brought the change: it does not wait for itself. */
  readonly exceptEventId: string | null;
}

/**
 * Makes the deferred events of an order due now, also those whose task had failed for good. One that is running at this
 * moment may have read what was there before this transaction, so it is told to look again. Rows are locked by id, which
 * keeps two transactions that wake overlapping events from waiting for each other.
 */
export function wakeDeferredEvents(
  tx: Transaction,
  { merchantOrderId, clinkSessionId, clinkOrderIds, exceptEventId }: Awaited,
) {
  return tx`
    WITH waiting AS MATERIALIZED (
      SELECT id FROM webhook_events WHERE status = 'pending' AND merchant_order_ref = ${merchantOrderId}
      UNION SELECT id FROM webhook_events WHERE status = 'pending' AND clink_session_ref = ${clinkSessionId}
      UNION SELECT id FROM webhook_events WHERE status = 'pending' AND clink_order_ref = ANY(${tx.array([...clinkOrderIds], TEXT)})
    ), rows AS MATERIALIZED (
      SELECT id FROM outbox
      WHERE dedupe_key IN (SELECT 'reprocess_webhook:' || id FROM waiting WHERE id IS DISTINCT FROM ${exceptEventId})
        AND status <> 'succeeded'
      ORDER BY id FOR UPDATE
    )
    UPDATE outbox SET
      woken = (status = 'processing'),
      attempt = CASE status WHEN 'failed' THEN 0 ELSE attempt END,
      next_retry_at = CASE status WHEN 'processing' THEN next_retry_at ELSE LEAST(next_retry_at, now()) END,
      status = CASE status WHEN 'failed' THEN 'pending' ELSE status END,
      updated_at = now()
    WHERE id IN (SELECT id FROM rows)
    RETURNING id`;
}

/** Those of the given tasks that have a row to claim now. */
export async function findDueTasks(sql: Sql, tasks: readonly TaskName[]): Promise<TaskName[]> {
  const due = await sql<{ task: TaskName }[]>`
    SELECT task FROM unnest(${tasks}::text[]) WITH ORDINALITY AS asked (task, place)
    WHERE EXISTS (SELECT FROM outbox WHERE outbox.task = asked.task AND due_at <= now())
    ORDER BY place`;
  return due.map(({ task }) => task);
}

/** Serialises claimers of one task until the transaction ends, so that two of them cannot both see the same free worker. */
export async function lockTaskForClaim(tx: Transaction, task: TaskName): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock(hashtext('claim:' || ${task}))`;
}

/**
 * Locks those rows of a task that can be claimed at this moment: the longest due first, as far as its workers have room,
 * and none that somebody else holds. One scan finds them all, since it may lead over the remains of what was claimed
 * before; no more is locked than is returned. The time is the statement's, which is after the wait for the task's lock and
 * still known to the index.
 */
export async function lockClaimable(tx: Transaction, task: TaskName, maxInFlight: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    SELECT id FROM (
      SELECT id FROM outbox WHERE task = ${task} AND due_at <= statement_timestamp()
      ORDER BY due_at, id LIMIT ${maxInFlight} FOR UPDATE SKIP LOCKED) AS due
    LIMIT (SELECT GREATEST(0, ${maxInFlight}::bigint - count(*)) FROM outbox
           WHERE task = ${task} AND due_at = lease_until AND lease_until > statement_timestamp())`;
  return rows.map(({ id }) => id);
}

/**
 * Claims one row that this transaction has found due and locked. A row whose worker had started before its lease ran out
 * has cost an attempt; one that no worker had taken over has not, and one that was woken while it ran starts afresh.
 */
export async function claimOne(
  tx: Transaction,
  claim: { id: number; claimToken: string; leaseMs: number },
): Promise<Ticket | undefined> {
  const [ticket] = await tx<Ticket[]>`
    UPDATE outbox SET
      status = 'processing', claim_token = ${claim.claimToken}, worker_id = NULL, started_at = NULL, woken = FALSE,
      attempt = CASE WHEN woken THEN 0 WHEN started_at IS NULL THEN attempt ELSE attempt + 1 END,
      lease_until = statement_timestamp() + ${milliseconds(tx, claim.leaseMs)}, updated_at = now()
    WHERE id = ${claim.id}
    RETURNING id, task, event_id, order_id AS merchant_order_id, claim_token, attempt`;
  return ticket;
}

/** Gives back a claimed row that could not be sent: due again at once, and no attempt lost. */
export async function returnUnsent(sql: Sql, ticket: Ticket): Promise<void> {
  await sql`
    UPDATE outbox SET status = 'pending', ${noLease(sql)},
                      next_retry_at = now(), updated_at = now()
    WHERE id = ${ticket.id} AND claim_token = ${ticket.claimToken} AND status = 'processing' AND started_at IS NULL`;
}

/**
 * Exchanges a ticket for ownership. Undefined when the ticket is no longer good: its lease ran out, another worker was
 * faster, or this is an old or doubled message. Then there is nothing to run.
 */
export async function takeOver(
  sql: Sql,
  take: { id: number; ticket: string; claimToken: string; workerId: string; leaseMs: number },
): Promise<OwnedTask | undefined> {
  const [owned] = await sql<OwnedTask[]>`
    UPDATE outbox SET claim_token = ${take.claimToken}, worker_id = ${take.workerId}, started_at = now(),
                      lease_until = now() + ${milliseconds(sql, take.leaseMs)}, updated_at = now()
    WHERE id = ${take.id} AND claim_token = ${take.ticket} AND status = 'processing' AND started_at IS NULL
      AND lease_until > now()
    RETURNING id, task, event_id, order_id AS merchant_order_id, clink_order_id, payload, dedupe_key, attempt, claim_token`;
  return owned;
}

/**
 * Extends the lease. False means that the task is no longer ours and work on it must stop. A lease that has run out stays
 * so, even when nobody has claimed the row since: others may have relied on its end.
 */
export async function renewLease(
  sql: Sql,
  owned: Pick<OwnedTask, 'id' | 'claimToken'>,
  leaseMs: number,
): Promise<boolean> {
  const renewed = await sql`
    UPDATE outbox SET lease_until = now() + ${milliseconds(sql, leaseMs)}, updated_at = now()
    WHERE id = ${owned.id} AND claim_token = ${owned.claimToken} AND status = 'processing' AND lease_until > now()`;
  return renewed.count === 1;
}

/** Marks the task succeeded, guarded by the token. */
export async function finishTask(sql: Sql, owned: Pick<OwnedTask, 'id' | 'claimToken'>): Promise<boolean> {
  const finished = await sql`
    UPDATE outbox SET status = 'succeeded', ${noLease(sql)},
                      woken = FALSE, last_error = NULL, updated_at = now()
    WHERE id = ${owned.id} AND claim_token = ${owned.claimToken} AND status = 'processing'`;
  return finished.count === 1;
}

/**
 * Schedules another try after `delayMs`, guarded by the token; at once, and with a fresh set of tries, when what the task
 * waits for appeared while it ran. Returns null when the task was no longer ours.
 */
export async function retryTask(
  sql: Sql,
  owned: Pick<OwnedTask, 'id' | 'claimToken' | 'attempt'>,
  failure: Failure,
  delayMs: number,
): Promise<{ dueNow: boolean } | null> {
  const [row] = await sql<{ dueNow: boolean }[]>`
    UPDATE outbox SET status = 'pending', ${noLease(sql)},
                      attempt = CASE WHEN woken THEN 0 ELSE ${owned.attempt + 1} END,
                      next_retry_at = CASE WHEN woken THEN now() ELSE now() + ${milliseconds(sql, delayMs)} END,
                      woken = FALSE, last_error = ${failureText(failure)}, updated_at = now()
    WHERE id = ${owned.id} AND claim_token = ${owned.claimToken} AND status = 'processing'
    RETURNING next_retry_at <= now() AS due_now`;
  return row ?? null;
}

/**
 * Marks the task failed for good, guarded by the token and unless it was woken meanwhile. False when nothing was changed.
 * Runs in the transaction that also queues the page.
 */
export async function exhaustTask(
  tx: Transaction,
  owned: Pick<OwnedTask, 'id' | 'claimToken' | 'attempt'>,
  failure: Failure,
): Promise<boolean> {
  const exhausted = await tx`
    UPDATE outbox SET status = 'failed', ${noLease(tx)},
                      attempt = ${owned.attempt}, last_error = ${failureText(failure)}, updated_at = now()
    WHERE id = ${owned.id} AND claim_token = ${owned.claimToken} AND status = 'processing' AND NOT woken`;
  return exhausted.count === 1;
}

/**
 * Queues the page about a task that failed for good. A second failure of a revived task pages again, with the error of
 * the first: payloads never change, and the failed row itself has the latest.
 */
export function queuePage(
  tx: Transaction,
  failed: Pick<OwnedTask, 'id' | 'task' | 'eventId' | 'merchantOrderId'>,
  failure: Failure,
) {
  const payload = {
    failedTaskId: failed.id,
    failedTask: failed.task,
    errorName: failure.errorName,
    errorCode: failure.errorCode,
  };
  return tx`
    INSERT INTO outbox (task, event_id, order_id, payload, dedupe_key)
    VALUES ('page_outbox_failure', ${failed.eventId}, ${failed.merchantOrderId}, ${tx.json(payload)},
            ${`outbox_failure_alert:${failed.id}`})
    ON CONFLICT (dedupe_key) DO UPDATE SET status = 'pending', attempt = 0, next_retry_at = now(), updated_at = now()
    WHERE outbox.status = 'succeeded'`;
}

/** Whether a row of this task could be claimed now; a worker that has just become free asks this. */
export async function hasDueTask(sql: Sql, task: TaskName): Promise<boolean> {
  const [row] = await sql<{ due: boolean }[]>`
    SELECT EXISTS (SELECT FROM outbox WHERE task = ${task} AND due_at <= now()) AS due`;
  return row?.due ?? false;
}

function failureText({ errorName, errorCode }: Failure): string {
  return errorCode === null ? errorName : `${errorName}:${errorCode}`;
}
