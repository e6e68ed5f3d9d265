import type { ClinkClient } from '../clink/client.ts';
import type { Transaction } from '../database/connection.ts';
import type { JournalSource } from '../database/order-journal.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Decision } from '../decisions/decision.ts';
import type { MerchantOrder, PaymentAttempt } from '../decisions/order.ts';
import { applyDecision } from './apply-decision.ts';
import type { EventFlow } from './receive-event.ts';
import { StillWaitingError } from './still-waiting.ts';

export interface AnswerFlow extends EventFlow {
  readonly clink: Pick<ClinkClient, 'getOrder' | 'getSession'>;
}

export interface DecidedAnswer {
  readonly decision: Decision;
  readonly order: MerchantOrder;
  readonly attempts: readonly PaymentAttempt[];
}

/**
 * Applies what an answer of Clink's means, under the order's lock, and closes the event that raised the question. The
 * answer is in hand before this begins, so no call waits inside the transaction. Throws `StillWaitingError` after
 * committing when the answer settled nothing yet.
 */
export async function settleFromAnswer(
  { sql, wakeUp }: EventFlow,
  question: { readonly eventId: string; readonly source: JournalSource; readonly signal: AbortSignal },
  decide: (tx: Transaction) => Promise<DecidedAnswer>,
): Promise<void> {
  const { eventId, source, signal } = question;
  const { decision, queuedWork } = await inTransaction(sql, async (tx) => {
    const { decision, order, attempts } = await decide(tx);
    signal.throwIfAborted();
    const { writes, queuedWork } = applyDecision(tx, decision, { eventId, source, order, attempts });
    return { result: { decision, queuedWork }, writes };
  });
  if (await queuedWork()) await wakeUp();
  if (decision.outcome === 'deferred') throw new StillWaitingError(decision.reason);
}

/** The locked order of a question; orders are never deleted, so a missing one is a broken database. */
export function existing(order: MerchantOrder | null, merchantOrderId: string): MerchantOrder {
  if (!order) throw new Error(`merchant order ${merchantOrderId} is missing`);
  return order;
}
