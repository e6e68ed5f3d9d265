import { decideEvent, type EventFacts } from '../../functions/decisions/decide-event.ts';
import type { Decision, NewTask } from '../../functions/decisions/decision.ts';
import type { ClinkEvent, OrderAnswer, SessionAnswer } from '../../functions/decisions/event.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from '../../functions/decisions/order.ts';
import { decideOrderAnswer } from '../../functions/decisions/order-answer.ts';
import { decideRefundAnswer } from '../../functions/decisions/refund-answer.ts';
import { decideSessionAnswer } from '../../functions/decisions/session-answer.ts';

/** What Clink would answer about the world that the events tell of. */
export interface ClinkTruth {
  order(clinkOrderId: string): OrderAnswer;
  session(clinkSessionId: string): SessionAnswer;
}

interface StoredTask extends NewTask {
  readonly eventId: string;
  done: boolean;
}

/**
 * The database's part in memory, for one process and no I/O: keys that are unique, rows that are written once, events that
 * stay pending until a decision closes them. Lets every order of a history be tried.
 */
export class MemoryStore {
  readonly orders = new Map<string, MerchantOrder>();
  readonly attempts = new Map<string, PaymentAttempt>();
  readonly refunds = new Map<string, Refund>();
  readonly cases = new Map<string, string>();
  readonly tasks = new Map<string, StoredTask>();
  readonly pending = new Map<string, ClinkEvent>();
  readonly #seen = new Set<string>();

  constructor(orders: readonly MerchantOrder[], attempts: readonly PaymentAttempt[] = []) {
    for (const order of orders) this.orders.set(order.id, order);
    for (const attempt of attempts) this.attempts.set(attempt.clinkOrderId, attempt);
  }

  deliver(event: ClinkEvent): Decision | null {
    if (this.#seen.has(event.id)) return null;
    this.#seen.add(event.id);
    this.pending.set(event.id, event);
    return this.#apply(event.id, decideEvent(event, this.factsOf(event)));
  }

  /** Retries every deferred event until a round changes nothing. */
  retryDeferred(): void {
    for (let before = -1; before !== this.pending.size; ) {
      before = this.pending.size;
      for (const event of [...this.pending.values()]) this.#apply(event.id, decideEvent(event, this.factsOf(event)));
    }
  }

  /** Runs everything that a worker would, with Clink answering truthfully, until nothing is left to run. */
  drain(truth: ClinkTruth): void {
    for (let round = 0; round < 20; round++) {
      this.retryDeferred();
      const open = [...this.tasks.values()].filter((task) => !task.done);
      for (const task of open) this.#run(task, truth);
    }
  }

  factsOf(event: ClinkEvent): EventFacts {
    const storedAttempt = 'clinkOrderId' in event ? (this.attempts.get(event.clinkOrderId ?? '') ?? null) : null;
    const storedRefund = event.kind === 'refund' ? (this.refunds.get(event.refundId ?? '') ?? null) : null;
    const id =
      event.kind === 'refund'
        ? (storedAttempt ?? storedRefund)?.merchantOrderId
        : 'merchantOrderId' in event
          ? event.merchantOrderId
          : null;
    const order = this.orders.get(id ?? '') ?? null;
    return { order, attempts: this.#attemptsOf(id), storedAttempt, storedRefund, refunds: this.#refundsOf(id) };
  }

  #run(task: StoredTask, truth: ClinkTruth): void {
    const decision = this.#answer(task, truth);
    if (decision === 'not a question') task.done = task.task !== 'reprocess_webhook' || !this.pending.has(task.eventId);
    else if (decision) {
      this.#apply(task.eventId, decision);
      task.done = decision.outcome !== 'deferred';
    }
  }

  #answer({ task, eventId, merchantOrderId, clinkOrderId, payload }: StoredTask, truth: ClinkTruth) {
    const order = this.orders.get(merchantOrderId ?? '');
    const snapshot = this.attempts.get(clinkOrderId ?? '');
    if (task === 'reconcile_attempt' && order && snapshot) {
      const facts = { order, attempts: this.#attemptsOf(order.id), snapshot };
      return decideOrderAnswer(eventId, truth.order(snapshot.clinkOrderId), facts);
    }
    if (task === 'reconcile_session' && order?.clinkSessionId) {
      const answer = truth.session(order.clinkSessionId);
      const local = { order, attempts: this.#attemptsOf(order.id) };
      const namedAttempt = this.attempts.get(answer.clinkOrderId ?? '') ?? null;
      return decideSessionAnswer(eventId, answer, { ...local, snapshot: local, namedAttempt });
    }
    if (task === 'refund_reconcile' && order && clinkOrderId) {
      const refundId = String(payload.refundId);
      const facts = { order, attempt: snapshot ?? null, refund: this.refunds.get(refundId) ?? null };
      return decideRefundAnswer({ eventId, clinkOrderId, refundId }, truth.order(clinkOrderId), facts);
    }
    return 'not a question';
  }

  #apply(eventId: string, decision: Decision): Decision {
    const { newAttempt, attemptPatch, newRefund, review, merchantOrderId } = decision;
    if (newAttempt) insertOnce(this.attempts, newAttempt.clinkOrderId, newAttempt);
    if (newRefund) insertOnce(this.refunds, newRefund.refundId, newRefund);
    const patched = attemptPatch && this.attempts.get(attemptPatch.clinkOrderId);
    if (patched) this.attempts.set(patched.clinkOrderId, { ...patched, ...attemptPatch.patch });
    const order = this.orders.get(merchantOrderId ?? '');
    if (order) this.orders.set(order.id, { ...order, ...decision.orderPatch });
    if (review && !this.cases.has(review.dedupeKey)) this.cases.set(review.dedupeKey, review.reason);
    for (const task of decision.tasks) {
      if (!this.tasks.has(task.dedupeKey)) this.tasks.set(task.dedupeKey, { ...task, eventId, done: false });
    }
    if (decision.outcome !== 'deferred') this.pending.delete(eventId);
    return decision;
  }

  #attemptsOf(merchantOrderId: string | null | undefined): PaymentAttempt[] {
    return [...this.attempts.values()].filter((attempt) => attempt.merchantOrderId === merchantOrderId);
  }

  #refundsOf(merchantOrderId: string | null | undefined): Refund[] {
    return [...this.refunds.values()].filter((refund) => refund.merchantOrderId === merchantOrderId);
  }
}

function insertOnce<T>(rows: Map<string, T>, key: string, row: T): void {
  if (rows.has(key)) throw new Error(`unique violation: ${key}`);
  rows.set(key, row);
}
