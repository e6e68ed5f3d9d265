import type { Sql } from '../../functions/database/connection.ts';
import type { ClinkEvent } from '../../functions/decisions/event.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { runTicket } from '../../functions/outbox/run-task.ts';
import type { ClinkTruth } from '../support/memory-store.ts';
import { bodyOf } from './body.ts';
import { type Snapshot, snapshotOfDatabase } from './snapshot.ts';
import { answerFlow, LEASE_MS, questionWorks, runDeps } from './work.ts';

/** The real backend, with the same verbs as the store in memory: takes events in, and runs one question at a time. */
export class DatabaseStore {
  readonly #owner: Sql;
  readonly #app: Sql;
  readonly #truth: ClinkTruth;
  readonly #maxAttempt: number;
  #tokens = 0;

  constructor({ owner, app }: { owner: Sql; app: Sql }, truth: ClinkTruth, maxAttempt = Number.MAX_SAFE_INTEGER) {
    this.#owner = owner;
    this.#app = app;
    this.#truth = truth;
    this.#maxAttempt = maxAttempt;
  }

  async deliver(event: ClinkEvent): Promise<void> {
    await receiveEvent(answerFlow(this.#app, this.#truth), event, bodyOf(event));
  }

  /** Hands a pending task to its worker, due or not. */
  async run(dedupeKey: string): Promise<void> {
    const claimToken = this.#newToken();
    const ticket = await claimByKey(this.#owner, dedupeKey, claimToken);
    if (!ticket) return;
    const work = questionWorks(answerFlow(this.#app, this.#truth))[ticket.task];
    if (!work) throw new Error(`${ticket.task} is no question`);
    const deps = runDeps(this.#app, () => this.#newToken(), this.#maxAttempt);
    const invocation = { workerId: 'worker', remainingMs: 60_000 };
    await runTicket(deps, { taskId: ticket.id, claimToken, eventId: null }, ticket.task, work, invocation);
  }

  /** Runs every open question, due or not, until a round closes none and opens none. */
  async drain(): Promise<Snapshot> {
    for (let before = ''; ; ) {
      const now = await this.snapshot();
      const open = questionsOf(now);
      const seen = JSON.stringify([open, now.orders, now.attempts, now.refunds.length]);
      if (seen === before) return now;
      before = seen;
      for (const key of open) await this.run(key);
    }
  }

  snapshot(): Promise<Snapshot> {
    return snapshotOfDatabase(this.#owner);
  }

  #newToken(): string {
    this.#tokens += 1;
    return `token_${this.#tokens}`;
  }
}

const QUESTIONS: ReadonlySet<string> = new Set([
  'reprocess_webhook',
  'reconcile_attempt',
  'reconcile_session',
  'refund_reconcile',
]);

function questionsOf({ tasks }: Snapshot): string[] {
  const open = tasks.filter(({ task, status }) => QUESTIONS.has(task) && status === 'pending');
  return open.map(({ dedupeKey }) => dedupeKey);
}

/** What a claimer leaves on a row of its choice. */
export async function claimByKey(owner: Sql, dedupeKey: string, claimToken: string) {
  const [ticket] = await owner<{ id: number; task: Parameters<typeof runTicket>[2] }[]>`
    UPDATE outbox SET status = 'processing', claim_token = ${claimToken}, started_at = NULL, woken = FALSE,
                      lease_until = now() + ${LEASE_MS} * interval '1 millisecond'
    WHERE dedupe_key = ${dedupeKey} AND status = 'pending'
    RETURNING id, task`;
  return ticket;
}
