import { lockOrder } from '../database/merchant-orders.ts';
import { findAttempt, listAttempts } from '../database/payment-attempts.ts';
import { decideOrderAnswer } from '../decisions/order-answer.ts';
import { type AnswerFlow, existing, settleFromAnswer } from './settle-from-answer.ts';
import { StillWaitingError } from './still-waiting.ts';

/** Asks Clink for the status of one attempt that its events could not settle, and applies the answer if nothing moved meanwhile. */
export async function reconcileAttempt(
  flow: AnswerFlow,
  { clinkOrderId, eventId, signal }: { clinkOrderId: string; eventId: string; signal: AbortSignal },
): Promise<void> {
  const snapshot = await findAttempt(flow.sql, clinkOrderId);
  if (!snapshot) throw new StillWaitingError('attempt_missing');
  const answer = await flow.clink.getOrder(clinkOrderId, signal);

  await settleFromAnswer(flow, { eventId, source: 'order_answer', signal }, async (tx) => {
    const { merchantOrderId } = snapshot;
    const [locked, attempts] = await Promise.all([lockOrder(tx, merchantOrderId), listAttempts(tx, merchantOrderId)]);
    const order = existing(locked, merchantOrderId);
    return { decision: decideOrderAnswer(eventId, answer, { order, attempts, snapshot }), order, attempts };
  });
}
