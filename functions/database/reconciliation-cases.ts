import type { Evidence, Review } from '../decisions/decision.ts';
import type { Sql, Transaction } from './connection.ts';

export interface ReconciliationCase {
  readonly caseKey: string;
  readonly eventId: string;
  readonly merchantOrderId: string;
  readonly clinkOrderId: string | null;
  readonly refundId: string | null;
  readonly reason: string;
  readonly evidence: Evidence;
}

/** Files a case once; the first evidence stays, however often the same conflict comes again. */
export function insertCaseOnce(tx: Transaction, review: Review, eventId: string) {
  const { evidence, ...columns } = review;
  return tx`
    INSERT INTO reconciliation_cases ${tx({ ...columns, eventId, evidence: tx.json({ ...evidence }) })}
    ON CONFLICT (dedupe_key) DO NOTHING`;
}

export async function findCase(sql: Sql, caseKey: string): Promise<ReconciliationCase | undefined> {
  const [found] = await sql<ReconciliationCase[]>`
    SELECT dedupe_key AS case_key, event_id, merchant_order_id, clink_order_id, refund_id, reason, evidence
    FROM reconciliation_cases WHERE dedupe_key = ${caseKey}`;
  return found;
}

/** The desk and the pager have it now; a case that a person has resolved stays resolved. */
export async function markCaseOpen(sql: Sql, caseKey: string): Promise<void> {
  await sql`
    UPDATE reconciliation_cases SET status = 'open', updated_at = now() WHERE dedupe_key = ${caseKey} AND status = 'pending'`;
}
