import type { Decision } from '../decisions/decision.ts';
import type { Transaction } from './connection.ts';

export type JournalSource = 'webhook' | 'reprocess' | 'order_answer' | 'session_answer' | 'refund_answer';

/** Appends why the order is now as it is. */
export function appendToJournal(tx: Transaction, source: JournalSource, sourceId: string, decision: Decision) {
  const { merchantOrderId, clinkOrderId, outcome, reason, paymentStatusBefore, paymentStatusAfter } = decision;
  return tx`
    INSERT INTO order_journal
      (merchant_order_id, source, source_id, clink_order_id, outcome, reason, payment_status_before, payment_status_after)
    VALUES (${merchantOrderId}, ${source}, ${sourceId}, ${clinkOrderId}, ${outcome}, ${reason}, ${paymentStatusBefore},
            ${paymentStatusAfter})`;
}
