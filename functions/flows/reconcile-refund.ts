import { lockOrder } from '../database/merchant-orders.ts';
import { findAttempt } from '../database/payment-attempts.ts';
import { findRefund } from '../database/refunds.ts';
import { decideRefundAnswer } from '../decisions/refund-answer.ts';
import { type AnswerFlow, existing, settleFromAnswer } from './settle-from-answer.ts';

export interface RefundQuestion {
  readonly merchantOrderId: string;
  readonly clinkOrderId: string;
  readonly eventId: string;
  readonly refundId: string;
  readonly signal: AbortSignal;
}

/** Asks Clink for the status of a refunded order until it has caught up with the refunds booked here, then queues the policy. */
export async function reconcileRefund(flow: AnswerFlow, question: RefundQuestion): Promise<void> {
  const { merchantOrderId, clinkOrderId, eventId, refundId, signal } = question;
  const answer = await flow.clink.getOrder(clinkOrderId, signal);

  await settleFromAnswer(flow, { eventId, source: 'refund_answer', signal }, async (tx) => {
    const [locked, attempt, refund] = await Promise.all([
      lockOrder(tx, merchantOrderId),
      findAttempt(tx, clinkOrderId),
      findRefund(tx, refundId),
    ]);
    const order = existing(locked, merchantOrderId);
    const decision = decideRefundAnswer({ eventId, clinkOrderId, refundId }, answer, { order, attempt, refund });
    return { decision, order, attempts: attempt ? [attempt] : [] };
  });
}
