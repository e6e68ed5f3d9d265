import type { Sql } from '../database/connection.ts';
import { lockOrder, setFulfillmentStatus } from '../database/merchant-orders.ts';
import { exhaustTask, type Failure, type OwnedTask, queuePage } from '../database/outbox.ts';
import { inTransaction } from '../database/transaction.ts';
import { log } from '../platform/log.ts';
import { logged } from './logged.ts';

export type ExhaustedTask = Pick<OwnedTask, 'id' | 'task' | 'eventId' | 'merchantOrderId' | 'claimToken' | 'attempt'>;

/**
 * Marks a task failed for good and queues the page about it, both or neither; an order that so stays undelivered says so.
 * False when nothing was changed: the task is no longer ours, or was woken and deserves another look.
 */
export async function exhaust(sql: Sql, task: ExhaustedTask, failure: Failure): Promise<boolean> {
  const exhausted = await inTransaction(sql, async (tx) => {
    const orderToDeliver = task.task === 'fulfill' ? task.merchantOrderId : null;
    const [order, isExhausted] = await Promise.all([
      orderToDeliver === null ? null : lockOrder(tx, orderToDeliver),
      exhaustTask(tx, task, failure),
    ]);
    if (!isExhausted) return { result: false, writes: [] };

    const page = queuePage(tx, task, failure);
    const undelivered = order?.fulfillmentStatus === 'pending' ? [setFulfillmentStatus(tx, order.id, 'failed')] : [];
    return { result: true, writes: [page, ...undelivered] };
  });
  if (exhausted) log.error('task_exhausted', { ...logged(task), attempt: task.attempt, ...failure });
  return exhausted;
}
