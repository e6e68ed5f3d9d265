import { findOrder, lockOrder } from '../database/merchant-orders.ts';
import { findAttempt, listAttempts } from '../database/payment-attempts.ts';
import { decideSessionAnswer } from '../decisions/session-answer.ts';
import { type AnswerFlow, existing, settleFromAnswer } from './settle-from-answer.ts';
import { StillWaitingError } from './still-waiting.ts';

/** Asks Clink which attempt of a session is the current one, and applies the answer if nothing moved meanwhile. */
export async function reconcileSession(
  flow: AnswerFlow,
  { merchantOrderId, eventId, signal }: { merchantOrderId: string; eventId: string; signal: AbortSignal },
): Promise<void> {
  const [found, knownAttempts] = await Promise.all([
    findOrder(flow.sql, merchantOrderId),
    listAttempts(flow.sql, merchantOrderId),
  ]);
  const snapshot = { order: existing(found, merchantOrderId), attempts: knownAttempts };
  if (snapshot.order.clinkSessionId === null) throw new StillWaitingError('session_not_saved_yet');
  const answer = await flow.clink.getSession(snapshot.order.clinkSessionId, signal);

  await settleFromAnswer(flow, { eventId, source: 'session_answer', signal }, async (tx) => {
    const [locked, attempts, namedAttempt] = await Promise.all([
      lockOrder(tx, merchantOrderId),
      listAttempts(tx, merchantOrderId),
      findAttempt(tx, answer.clinkOrderId),
    ]);
    const order = existing(locked, merchantOrderId);
    return {
      decision: decideSessionAnswer(eventId, answer, { order, attempts, namedAttempt, snapshot }),
      order,
      attempts,
    };
  });
}
