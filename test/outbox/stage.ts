import { randomUUID } from 'node:crypto';
import type { SQSBatchResponse } from 'aws-lambda';
import { queueTask } from '../../functions/database/outbox.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import type { NewTask, TaskName } from '../../functions/decisions/decision.ts';
import { type ClaimCounts, type ClaimDueDeps, claimDue } from '../../functions/outbox/claim-due.ts';
import type { RunDeps, Work } from '../../functions/outbox/run-task.ts';
import { taskWorker } from '../../functions/outbox/task-worker.ts';
import { systemTimers } from '../../functions/outbox/timers.ts';
import { wakeUpSender } from '../../functions/platform/queues.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startQueues, type TestQueues } from '../support/queues.ts';

export interface OutboxRow {
  readonly id: number;
  readonly task: TaskName;
  readonly orderId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dedupeKey: string;
  readonly status: string;
  readonly attempt: number;
  readonly claimToken: string | null;
  readonly workerId: string | null;
  readonly leaseUntil: Date | null;
  readonly startedAt: Date | null;
  readonly woken: boolean;
  readonly lastError: string | null;
  /** Milliseconds from now by the database's clock, negative when it is over. */
  readonly dueInMs: number | null;
  readonly leaseInMs: number | null;
}

export const LEASE_MS = 300_000;
export const MAX_ATTEMPT = 12;

export interface Stage {
  readonly db: TestDatabase;
  readonly queues: TestQueues;
  readonly runDeps: RunDeps;
  readonly claimDeps: ClaimDueDeps;
  /** Queues a task as a decision would; returns its id. */
  queue(task: TaskName, with_?: Partial<NewTask>): Promise<number>;
  row(id: number): Promise<OutboxRow>;
  /** All pages, the oldest first. */
  pages(): Promise<OutboxRow[]>;
  /** One claim run, of one pass unless told otherwise. */
  claim(deps?: Partial<ClaimDueDeps>): Promise<ClaimCounts>;
  /** Hands the next message of a task's queue to its worker, and acknowledges it as SQS would. */
  work(task: TaskName, work: Work, deps?: Partial<RunDeps>): Promise<SQSBatchResponse>;
  /** Makes a lease run out without waiting for it. */
  expireLease(id: number): Promise<void>;
  makeDue(id: number): Promise<void>;
  setAttempt(id: number, attempt: number): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A database, the queues, a claimer and workers: the whole path of a task, stepped by the test. */
export async function setStage(): Promise<Stage> {
  const [db, queues] = await Promise.all([createDatabase(), startQueues()]);
  const outbox = {
    sql: db.app,
    leaseMs: LEASE_MS,
    maxAttempt: MAX_ATTEMPT,
    newToken: () => randomUUID(),
  };
  const runDeps: RunDeps = {
    ...outbox,
    backoff: { baseMs: 1_000, maxMs: 3_600_000 },
    random: () => 0.5,
    timers: systemTimers,
    wakeUp: wakeUpSender(queues.wakeUpUrl, queues.sender),
  };
  const claimDeps: ClaimDueDeps = {
    ...outbox,
    maxInFlight: () => 10,
    send: (queueUrl, body) => queues.sender.send(queueUrl, body),
    queueUrlOf: queues.urlOf,
    hasTime: () => false,
  };
  const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => 60_000 };
  const rows = (where: string, values: (string | number)[]) =>
    db.owner.unsafe<OutboxRow[]>(
      `SELECT *, extract(epoch FROM due_at - now()) * 1000 AS due_in_ms,
              extract(epoch FROM lease_until - now()) * 1000 AS lease_in_ms FROM outbox WHERE ${where} ORDER BY id`,
      values,
    );

  return {
    db,
    queues,
    runDeps,
    claimDeps,
    async queue(task, with_ = {}) {
      const dedupeKey = with_.dedupeKey ?? `${task}:${randomUUID()}`;
      const newTask = { task, merchantOrderId: null, clinkOrderId: null, payload: {}, dedupeKey, ...with_ };
      await inTransaction(db.app, async (tx) => ({ result: null, writes: [queueTask(tx, 'evt_1', newTask)] }));
      const [row] = await rows('dedupe_key = $1', [dedupeKey]);
      return row?.id ?? 0;
    },
    async row(id) {
      const [row] = await rows('id = $1', [id]);
      if (!row) throw new Error(`no task ${id}`);
      return { ...row, dueInMs: numberOrNull(row.dueInMs), leaseInMs: numberOrNull(row.leaseInMs) };
    },
    pages: () => rows('task = $1', ['page_outbox_failure']),
    claim: (deps = {}) => claimDue({ ...claimDeps, ...deps }),
    work(task, work, deps = {}) {
      const handler = taskWorker({ ...runDeps, ...deps }, task, work);
      return queues.deliverOne(queues.urlOf(task), (event) => handler(event, context));
    },
    async expireLease(id) {
      await db.owner`UPDATE outbox SET lease_until = now() - interval '1 second' WHERE id = ${id}`;
    },
    async makeDue(id) {
      await db.owner`UPDATE outbox SET next_retry_at = now() WHERE id = ${id}`;
    },
    async setAttempt(id, attempt) {
      await db.owner`UPDATE outbox SET attempt = ${attempt} WHERE id = ${id}`;
    },
    async clear() {
      await queues.clear();
      await db.owner`DELETE FROM outbox`;
    },
    async close() {
      await Promise.all([db.drop(), queues.stop()]);
    },
  };
}

function numberOrNull(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}
