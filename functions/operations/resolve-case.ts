import type { Sql } from '../database/connection.ts';
import { lockOrder } from '../database/merchant-orders.ts';
import { appendOperatorEntry, resolveOpenCase } from '../database/operator.ts';
import { findCase } from '../database/reconciliation-cases.ts';
import { inTransaction } from '../database/transaction.ts';

/** Closes a case that a person has settled. False when there is no such case, or it was resolved before. */
export async function resolveCase(sql: Sql, caseKey: string): Promise<boolean> {
  const found = await findCase(sql, caseKey);
  if (!found) return false;
  const { merchantOrderId, clinkOrderId } = found;
  return inTransaction(sql, async (tx) => {
    const [order, isResolved] = await Promise.all([lockOrder(tx, merchantOrderId), resolveOpenCase(tx, caseKey)]);
    if (!isResolved) return { result: false, writes: [] };
    const paymentStatus = order?.paymentStatus ?? null;
    const entry = { sourceId: caseKey, merchantOrderId, clinkOrderId, reason: 'case_resolved' as const, paymentStatus };
    return { result: true, writes: [appendOperatorEntry(tx, entry)] };
  });
}
