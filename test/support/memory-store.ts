import { decideEvent, type EventFacts } from '../../functions/decisions/decide-event.ts';
import type { Decision, NewTask, Review } from '../../functions/decisions/decision.ts';
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

/** What the store asks when it has to decide; replaced in part to see a check fail. */
export interface Rules {
  readonly decideEvent: typeof decideEvent;
  readonly decideOrderAnswer: typeof decideOrderAnswer;
  readonly decideSessionAnswer: typeof decideSessionAnswer;
  readonly decideRefundAnswer: typeof decideRefundAnswer;
  /** Whether an event that waits for an attempt, a basis or a confirmation may be decidable after this. */
  wakes(decision: Decision): boolean;
}

export const RULES: Rules = {
  decideEvent,
  decideOrderAnswer,
  decideSessionAnswer,
  decideRefundAnswer,
  wakes: ({ newAttempt, attemptPatch, orderPatch }) =>
    Boolean(newAttempt || attemptPatch || orderPatch.refundBasis || orderPatch.currentAttemptConfirmed),
};

export interface StoredTask extends NewTask {
  readonly eventId: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly attempt: number;
  /** Whether a claimer would take it now; a task that has failed once waits for its backoff. */
  readonly due: boolean;
}

export interface StoredEvent {
  readonly event: ClinkEvent;
  readonly status: 'pending' | 'processed';
}

export type StoredRefund = Refund & { readonly firstEventId: string };
export type StoredCase = Review & { readonly eventId: string };

export interface JournalRow
  extends Pick<
    Decision,
    'merchantOrderId' | 'clinkOrderId' | 'outcome' | 'reason' | 'paymentStatusBefore' | 'paymentStatusAfter'
  > {
  readonly source: string;
  readonly sourceId: string;
}

/** Tasks that are about what Clink says; the others call the merchant, and change nothing that is decided on. */
const QUESTIONS: ReadonlyMap<string, string> = new Map([
  ['reprocess_webhook', 'reprocess'],
  ['reconcile_attempt', 'order_answer'],
  ['reconcile_session', 'session_answer'],
  ['refund_reconcile', 'refund_answer'],
]);

/** Far beyond what any history needs until nothing changes any more. */
const MOST_ROUNDS = 200;

/**
 * The database's part in memory, for one process and no I/O: keys that are unique, rows that are written once, events that
 * stay pending until a decision closes them, tasks that are tried, given up and woken. Lets every order of a history be
 * tried, and is held to the real database by running the same histories on both.
 */
export class MemoryStore {
  readonly orders: Map<string, MerchantOrder>;
  readonly attempts: Map<string, PaymentAttempt>;
  readonly refunds = new Map<string, StoredRefund>();
  readonly cases = new Map<string, StoredCase>();
  readonly tasks = new Map<string, StoredTask>();
  readonly events = new Map<string, StoredEvent>();
  readonly journal: JournalRow[] = [];
  readonly #rules: Rules;
  readonly #maxAttempt: number;
  /** Grows with every write that another decision could notice. */
  #changes = 0;

  constructor(
    orders: readonly MerchantOrder[],
    { rules = RULES, maxAttempt = Number.POSITIVE_INFINITY }: { rules?: Rules; maxAttempt?: number } = {},
  ) {
    this.orders = new Map(orders.map((order) => [order.id, order]));
    this.attempts = new Map();
    this.#rules = rules;
    this.#maxAttempt = maxAttempt;
  }

  /** A store of its own with the same rows. */
  copy(): MemoryStore {
    const copy = new MemoryStore([...this.orders.values()], { rules: this.#rules, maxAttempt: this.#maxAttempt });
    for (const name of ['attempts', 'refunds', 'cases', 'tasks', 'events'] as const) {
      const rows: Map<string, unknown> = copy[name];
      for (const [key, row] of this[name]) rows.set(key, row);
    }
    copy.journal.push(...this.journal);
    return copy;
  }

  get pendingEvents(): ClinkEvent[] {
    return [...this.events.values()].filter(({ status }) => status === 'pending').map(({ event }) => event);
  }

  /** Keys of the tasks that wait for Clink or for another event, oldest first. */
  get openQuestions(): string[] {
    const open = [...this.tasks.values()].filter(({ task, status }) => QUESTIONS.has(task) && status === 'pending');
    return open.map(({ dedupeKey }) => dedupeKey);
  }

  /** Takes an event in; a second delivery of its id changes nothing and returns null. */
  deliver(event: ClinkEvent): Decision | null {
    if (this.events.has(event.id)) return null;
    this.events.set(event.id, { event, status: 'pending' });
    const facts = this.factsOf(event);
    return this.#apply('webhook', event.id, this.#rules.decideEvent(event, facts), facts);
  }

  /** Runs one open question as its worker would: it ends, is tried again later, or is given up and paged. */
  run(dedupeKey: string, truth: ClinkTruth): void {
    const task = this.tasks.get(dedupeKey);
    if (task?.status !== 'pending') return;
    const decided = this.#ask(task, truth);
    if (decided) this.#apply(QUESTIONS.get(task.task) ?? '', task.eventId, decided.decision, decided.facts);
    if (decided?.decision.outcome === 'deferred') this.#tryAgainLater(task);
    else this.tasks.set(dedupeKey, { ...task, status: 'succeeded', due: false });
  }

  /** What is left of a question once its last try has failed: a failed task and the page about it. */
  giveUp(dedupeKey: string): void {
    const task = this.tasks.get(dedupeKey);
    if (task?.status !== 'pending') return;
    this.tasks.set(dedupeKey, { ...task, status: 'failed', due: false, attempt: task.attempt + 1 });
    const page: NewTask = {
      task: 'page_outbox_failure',
      merchantOrderId: task.merchantOrderId,
      clinkOrderId: null,
      payload: {},
      dedupeKey: pageKey(dedupeKey),
    };
    this.#queue(page, task.eventId);
  }

  /** Decides every deferred event again until a round changes nothing. */
  retryDeferred(truth: ClinkTruth): void {
    this.#untilQuiet(truth, (task) => task === 'reprocess_webhook');
  }

  /** Runs everything that a worker would, with Clink answering truthfully, until a round changes nothing. */
  drain(truth: ClinkTruth): void {
    this.#untilQuiet(truth, () => true);
  }

  factsOf(event: ClinkEvent): EventFacts {
    const storedAttempt = 'clinkOrderId' in event ? (this.attempts.get(event.clinkOrderId ?? '') ?? null) : null;
    const storedRefund = event.kind === 'refund' ? withoutEvent(this.refunds.get(event.refundId ?? '')) : null;
    const id =
      event.kind === 'refund'
        ? (storedAttempt ?? storedRefund)?.merchantOrderId
        : 'merchantOrderId' in event
          ? event.merchantOrderId
          : null;
    const order = this.orders.get(id ?? '') ?? null;
    // Nothing about an attempt is decided by a session's end, and so it wakes nobody.
    const attempts = event.kind === 'session' ? [] : this.#attemptsOf(id);
    return { order, attempts, storedAttempt, storedRefund, refunds: this.#refundsOf(id) };
  }

  #untilQuiet(truth: ClinkTruth, isMeant: (task: string) => boolean): void {
    for (let before = -1, rounds = 0; before !== this.#changes; rounds++) {
      if (rounds > MOST_ROUNDS) throw new Error('the same questions are asked for ever');
      before = this.#changes;
      for (const key of this.openQuestions) if (isMeant(this.tasks.get(key)?.task ?? '')) this.run(key, truth);
    }
  }

  #ask(task: StoredTask, truth: ClinkTruth): { decision: Decision; facts: AppliedFacts } | null {
    const { eventId, merchantOrderId, clinkOrderId, payload } = task;
    if (task.task === 'reprocess_webhook') {
      const stored = this.events.get(eventId);
      if (stored?.status !== 'pending') return null;
      const facts = this.factsOf(stored.event);
      return { decision: this.#rules.decideEvent(stored.event, facts), facts };
    }
    const snapshot = this.attempts.get(clinkOrderId ?? '');
    const order = this.orders.get(snapshot?.merchantOrderId ?? merchantOrderId ?? '');
    if (!order) return null;
    const attempts = this.#attemptsOf(order.id);
    const facts = { order, attempts };
    if (task.task === 'reconcile_attempt' && snapshot) {
      const answer = truth.order(snapshot.clinkOrderId);
      return { decision: this.#rules.decideOrderAnswer(eventId, answer, { ...facts, snapshot }), facts };
    }
    if (task.task === 'reconcile_session' && order.clinkSessionId) {
      const answer = truth.session(order.clinkSessionId);
      const namedAttempt = this.attempts.get(answer.clinkOrderId ?? '') ?? null;
      const decision = this.#rules.decideSessionAnswer(eventId, answer, { ...facts, snapshot: facts, namedAttempt });
      return { decision, facts };
    }
    if (task.task === 'refund_reconcile' && clinkOrderId) {
      const refundId = String(payload.refundId);
      const question = { eventId, clinkOrderId, refundId };
      const attempt = snapshot ?? null;
      const refund = withoutEvent(this.refunds.get(refundId));
      const decision = this.#rules.decideRefundAnswer(question, truth.order(clinkOrderId), { order, attempt, refund });
      return { decision, facts: { order, attempts: attempt ? [attempt] : [] } };
    }
    return null;
  }

  #tryAgainLater(task: StoredTask): void {
    if (task.attempt + 1 >= this.#maxAttempt) this.giveUp(task.dedupeKey);
    else this.tasks.set(task.dedupeKey, { ...task, attempt: task.attempt + 1, due: false });
  }

  #apply(source: string, eventId: string, decision: Decision, facts: AppliedFacts): Decision {
    const { newAttempt, attemptPatch, newRefund, review, merchantOrderId, orderPatch } = decision;
    if (newAttempt) insertOnce(this.attempts, newAttempt.clinkOrderId, newAttempt);
    if (newRefund) insertOnce(this.refunds, newRefund.refundId, { ...newRefund, firstEventId: eventId });
    const patched = attemptPatch && this.attempts.get(attemptPatch.clinkOrderId);
    if (patched) this.attempts.set(patched.clinkOrderId, { ...patched, ...attemptPatch.patch });
    const order = this.orders.get(merchantOrderId ?? '');
    if (order) this.orders.set(order.id, { ...order, ...orderPatch });
    if (newAttempt || newRefund || patched || Object.keys(orderPatch).length > 0) this.#changes++;

    if (review && !this.cases.has(review.dedupeKey)) this.cases.set(review.dedupeKey, { ...review, eventId });
    if (new Set(decision.tasks.map(keyOf)).size < decision.tasks.length)
      throw new Error('two tasks under one dedupe key');
    for (const task of decision.tasks) this.#queue(task, eventId);
    if (decision.outcome !== 'deferred') this.#close(eventId);
    this.journal.push({ source, sourceId: eventId, ...written(decision) });
    if (this.#rules.wakes(decision)) this.#wakeOthers(decision, facts, eventId);
    return decision;
  }

  #queue(task: NewTask, eventId: string): void {
    const stored = this.tasks.get(task.dedupeKey);
    if (stored && stored.status !== 'failed') return;
    this.tasks.set(task.dedupeKey, { ...task, eventId, ...stored, status: 'pending', attempt: 0, due: true });
    this.#changes++;
  }

  #close(eventId: string): void {
    const stored = this.events.get(eventId);
    if (stored?.status !== 'pending') return;
    this.events.set(eventId, { ...stored, status: 'processed' });
    this.#changes++;
  }

  #wakeOthers(decision: Decision, { order, attempts }: AppliedFacts, exceptEventId: string): void {
    const clinkOrderIds = new Set([...attempts, ...(decision.newAttempt ? [decision.newAttempt] : [])].map(idOf));
    for (const event of this.pendingEvents) {
      const task = this.tasks.get(`reprocess_webhook:${event.id}`);
      const waits =
        ('merchantOrderId' in event && event.merchantOrderId === decision.merchantOrderId) ||
        ('clinkSessionId' in event &&
          event.clinkSessionId !== null &&
          event.clinkSessionId === order?.clinkSessionId) ||
        ('clinkOrderId' in event && event.clinkOrderId !== null && clinkOrderIds.has(event.clinkOrderId));
      if (!task || !waits || event.id === exceptEventId || task.status === 'succeeded') continue;
      if (task.status === 'failed') this.#changes++;
      const attempt = task.status === 'failed' ? 0 : task.attempt;
      this.tasks.set(task.dedupeKey, { ...task, status: 'pending', attempt, due: true });
    }
  }

  #attemptsOf(merchantOrderId: string | null | undefined): PaymentAttempt[] {
    return [...this.attempts.values()].filter((attempt) => attempt.merchantOrderId === merchantOrderId);
  }

  #refundsOf(merchantOrderId: string | null | undefined): Refund[] {
    return [...this.refunds.values()].filter((refund) => refund.merchantOrderId === merchantOrderId);
  }
}

interface AppliedFacts {
  readonly order: MerchantOrder | null;
  readonly attempts: readonly PaymentAttempt[];
}

/** Of the page about a task that was given up; the database names the task by its row's number instead. */
export function pageKey(dedupeKey: string): string {
  return `outbox_failure_alert:${dedupeKey}`;
}

function keyOf({ dedupeKey }: NewTask): string {
  return dedupeKey;
}

function idOf({ clinkOrderId }: PaymentAttempt): string {
  return clinkOrderId;
}

function withoutEvent(stored: StoredRefund | undefined): Refund | null {
  if (!stored) return null;
  const { firstEventId: _, ...refund } = stored;
  return refund;
}

function written(decision: Decision) {
  const { merchantOrderId, clinkOrderId, outcome, reason, paymentStatusBefore, paymentStatusAfter } = decision;
  return { merchantOrderId, clinkOrderId, outcome, reason, paymentStatusBefore, paymentStatusAfter };
}

function insertOnce<T>(rows: Map<string, T>, key: string, row: T): void {
  if (rows.has(key)) throw new Error(`unique violation: ${key}`);
  rows.set(key, row);
}
