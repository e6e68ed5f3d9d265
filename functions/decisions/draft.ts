import type {
  AttemptPatch,
  Decision,
  Evidence,
  NewTask,
  OrderPatch,
  Outcome,
  Payload,
  ReasonCode,
  Review,
  ReviewReason,
  TaskName,
} from './decision.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from './order.ts';

export interface ReviewFacts {
  readonly dedupeKey: string;
  readonly reason: ReviewReason;
  readonly clinkOrderId: string | null;
  readonly refundId?: string | null;
  readonly evidence: Evidence;
}

/**
 * A decision in the making: holds the order and its attempts as they will be once the decision is applied, so that each
 * rule reads the state that the rules before it have left.
 */
export class Draft {
  order: MerchantOrder;
  attempts: readonly PaymentAttempt[];
  readonly #before: MerchantOrder;
  #newAttempt: PaymentAttempt | null = null;
  #attemptPatch: { clinkOrderId: string; patch: AttemptPatch } | null = null;
  #newRefund: Refund | null = null;
  #orderPatch: OrderPatch = {};
  readonly #tasks: NewTask[] = [];

  constructor(order: MerchantOrder, attempts: readonly PaymentAttempt[]) {
    this.order = order;
    this.#before = order;
    this.attempts = attempts;
  }

  insertAttempt(attempt: PaymentAttempt): void {
    this.#newAttempt = attempt;
    this.attempts = [...this.attempts, attempt];
  }

  patchAttempt(clinkOrderId: string, patch: AttemptPatch): void {
    this.#attemptPatch = { clinkOrderId, patch };
    this.attempts = this.attempts.map((a) => (a.clinkOrderId === clinkOrderId ? { ...a, ...patch } : a));
  }

  insertRefund(refund: Refund): void {
    this.#newRefund = refund;
  }

  patchOrder(patch: OrderPatch): void {
    this.order = { ...this.order, ...patch };
    this.#orderPatch = { ...this.#orderPatch, ...patch };
  }

  attempt(clinkOrderId: string | null): PaymentAttempt | undefined {
    return this.attempts.find((a) => a.clinkOrderId === clinkOrderId);
  }

  queue(task: TaskName, dedupeKey: string, clinkOrderId: string | null = null, payload: Payload = {}): void {
    this.#tasks.push({ task, merchantOrderId: this.order.id, clinkOrderId, payload, dedupeKey });
  }

  done(reason: ReasonCode, clinkOrderId: string | null = null): Decision {
    return this.#decide('done', reason, clinkOrderId, null);
  }

  deferred(reason: ReasonCode, clinkOrderId: string | null = null): Decision {
    return this.#decide('deferred', reason, clinkOrderId, null);
  }

  /** Ends in a case for a person. What the rules before had settled stays in the decision and commits with the case. */
  review(facts: ReviewFacts): Decision {
    const { dedupeKey, reason, clinkOrderId, refundId = null, evidence } = facts;
    const review: Review = { dedupeKey, merchantOrderId: this.order.id, clinkOrderId, refundId, reason, evidence };
    this.queue('manual_reconciliation', `manual_reconciliation:${dedupeKey}`, clinkOrderId, { caseKey: dedupeKey });
    return this.#decide('manual_review', reason, clinkOrderId, review);
  }

  #decide(outcome: Outcome, reason: ReasonCode, clinkOrderId: string | null, review: Review | null): Decision {
    return {
      outcome,
      reason,
      merchantOrderId: this.order.id,
      clinkOrderId,
      newAttempt: this.#newAttempt,
      attemptPatch: this.#attemptPatch,
      newRefund: this.#newRefund,
      orderPatch: this.#orderPatch,
      tasks: this.#tasks,
      review,
      paymentStatusBefore: this.#before.paymentStatus,
      paymentStatusAfter: this.order.paymentStatus,
    };
  }
}

/** A decision about no order of ours: nothing to change, and for a deferred one nothing to point at yet. */
export function decisionWithoutOrder(
  outcome: 'done' | 'deferred',
  reason: ReasonCode,
  clinkOrderId: string | null,
): Decision {
  return {
    outcome,
    reason,
    merchantOrderId: null,
    clinkOrderId,
    newAttempt: null,
    attemptPatch: null,
    newRefund: null,
    orderPatch: {},
    tasks: [],
    review: null,
    paymentStatusBefore: null,
    paymentStatusAfter: null,
  };
}
