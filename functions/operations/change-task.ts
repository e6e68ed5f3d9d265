import type { Sql, Transaction } from '../database/connection.ts';
import { lockOrder, setFulfillmentStatus } from '../database/merchant-orders.ts';
import {
  appendOperatorEntry,
  closeTask,
  type FailedTask,
  findFailedTask,
  giveUpEvent,
  type OperatorReason,
  reviveTask,
} from '../database/operator.ts';
import { inTransaction } from '../database/transaction.ts';
import type { MerchantOrder } from '../decisions/order.ts';

type Change = (tx: Transaction, id: number) => Promise<boolean>;
type Consequences = (tx: Transaction, task: FailedTask, order: MerchantOrder | null) => PromiseLike<unknown>[];

/** A failed task gets a fresh set of tries, from the next minute on. False when there is no such failed task. */
export function retry(sql: Sql, taskId: number): Promise<boolean> {
  return changeFailedTask(sql, taskId, 'task_retried', reviveTask, (tx, { task }, order) =>
    task === 'fulfill' && order?.fulfillmentStatus === 'failed' ? [setFulfillmentStatus(tx, order.id, 'pending')] : [],
  );
}

/**
 * A failed task that need not be done, or was done by hand, is set aside; an event that it was to decide is given up with
 * it. What the order says of its delivery stays. False when there is no such failed task.
 */
export function close(sql: Sql, taskId: number): Promise<boolean> {
  return changeFailedTask(sql, taskId, 'task_closed', closeTask, (tx, { task, eventId }) =>
    task === 'reprocess_webhook' ? [giveUpEvent(tx, eventId)] : [],
  );
}

async function changeFailedTask(
  sql: Sql,
  taskId: number,
  reason: OperatorReason,
  change: Change,
  consequences: Consequences,
): Promise<boolean> {
  const task = await findFailedTask(sql, taskId);
  if (!task) return false;
  const { merchantOrderId, clinkOrderId, dedupeKey } = task;
  return inTransaction(sql, async (tx) => {
    // The order before anything else, as on every other path.
    const [order, isChanged] = await Promise.all([lockOrder(tx, merchantOrderId), change(tx, taskId)]);
    if (!isChanged) return { result: false, writes: [] };
    const paymentStatus = order?.paymentStatus ?? null;
    const entry = { sourceId: dedupeKey, merchantOrderId, clinkOrderId, reason, paymentStatus };
    return { result: true, writes: [...consequences(tx, task, order), appendOperatorEntry(tx, entry)] };
  });
}
