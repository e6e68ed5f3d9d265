import type { Transaction } from '../database/connection.ts';
import { updateOrder } from '../database/merchant-orders.ts';
import { asOneStatement } from '../database/one-statement.ts';
import { appendToJournal, type JournalSource } from '../database/order-journal.ts';
import { queueTask, wakeDeferredEvents } from '../database/outbox.ts';
import { insertAttempt, updateAttempt } from '../database/payment-attempts.ts';
import { insertCaseOnce } from '../database/reconciliation-cases.ts';
import { insertRefund } from '../database/refunds.ts';
import { insertEvent, markProcessed, type NewWebhookEvent } from '../database/webhook-events.ts';
import type { Decision } from '../decisions/decision.ts';
import type { MerchantOrder, PaymentAttempt } from '../decisions/order.ts';

/** What a decision was made from, as far as writing it needs it. */
export interface DecidedFacts {
  readonly eventId: string;
  readonly source: JournalSource;
  /** The event that is decided, when it has just come and is yet to be stored. */
  readonly newEvent?: NewWebhookEvent;
  readonly order: MerchantOrder | null;
  readonly attempts: readonly PaymentAttempt[];
  /** False when no event waits for anything about this order, so that none needs to be woken. */
  readonly isAwaited?: boolean;
}

/** The writes of one decision. */
export interface DecisionWrites {
  readonly writes: readonly PromiseLike<unknown>[];
  /** Once committed: whether the outbox has work now that a wake-up could start early. */
  queuedWork(): Promise<boolean>;
}

/**
 * The writes of a decision, one statement for all that it changes by itself: in one fixed order on every path, rows whose
 * key others may race for first, then the order, the case, the tasks and the journal. They are returned unsent, to travel
 * together with COMMIT.
 */
export function applyDecision(tx: Transaction, decision: Decision, facts: DecidedFacts): DecisionWrites {
  const { eventId, source } = facts;
  const { merchantOrderId, newAttempt, attemptPatch, newRefund, orderPatch, review, tasks } = decision;
  const changes = [
    storeEvent(tx, decision, facts),
    newAttempt && insertAttempt(tx, newAttempt),
    newRefund && insertRefund(tx, newRefund, eventId),
    attemptPatch && updateAttempt(tx, attemptPatch.clinkOrderId, attemptPatch.patch),
    merchantOrderId && Object.keys(orderPatch).length > 0 && updateOrder(tx, merchantOrderId, orderPatch),
    review && insertCaseOnce(tx, review, eventId),
    ...tasks.map((task) => queueTask(tx, eventId, task)),
    appendToJournal(tx, source, eventId, decision),
  ].filter((change) => typeof change === 'object' && change !== null);

  const woken = mayWake(decision, facts) ? wakeOthers(tx, decision, facts) : null;
  const changed = asOneStatement(tx, changes);
  return {
    writes: woken === null ? [changed] : [changed, woken],
    queuedWork: async () => tasks.length > 0 || (woken !== null && (await woken).count > 0),
  };
}

/** An event waits when it is deferred, and has been processed when it is not. */
function storeEvent(tx: Transaction, { outcome }: Decision, { eventId, newEvent }: DecidedFacts) {
  if (newEvent) return insertEvent(tx, newEvent, outcome === 'deferred' ? 'pending' : 'processed');
  return outcome !== 'deferred' && markProcessed(tx, eventId);
}

/**
 * Whether an event that was deferred for want of an attempt, a basis or a confirmation may be decidable now. That none was
 * waiting when the facts were read holds for as long as the attempt and the order are locked.
 */
function mayWake({ newAttempt, attemptPatch, orderPatch }: Decision, { isAwaited = true }: DecidedFacts): boolean {
  const isNews = newAttempt || attemptPatch || orderPatch.refundBasis || orderPatch.currentAttemptConfirmed;
  return isAwaited && Boolean(isNews);
}

function wakeOthers(tx: Transaction, decision: Decision, { eventId, order, attempts }: DecidedFacts) {
  const ids = attempts.map((a) => a.clinkOrderId);
  return wakeDeferredEvents(tx, {
    merchantOrderId: decision.merchantOrderId ?? '',
    clinkSessionId: order?.clinkSessionId ?? null,
    clinkOrderIds: decision.newAttempt ? [...ids, decision.newAttempt.clinkOrderId] : ids,
    exceptEventId: eventId,
  });
}

/** Keys that two transactions can want to insert at once; the one that comes second decides again from what the first did. */
const RACED_KEYS: ReadonlySet<unknown> = new Set(['webhook_events_pkey', 'payment_attempts_pkey', 'refunds_pkey']);

function lostKeyRace(error: unknown): boolean {
  const { code, constraint_name: constraint } = Object(error) as { code?: unknown; constraint_name?: unknown };
  return code === '23505' && RACED_KEYS.has(constraint);
}

/** Runs a transaction that decides from what it reads, and once more when it lost a race for a key that it wanted to insert. */
export async function decidingAgainAfterRace<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!lostKeyRace(error)) throw error;
    return run();
  }
}
