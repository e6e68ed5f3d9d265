import type { MerchantOrder } from '../../functions/decisions/order.ts';
import type { Snapshot } from './snapshot.ts';

/** Ends the id of an event that says what an earlier one has said. */
export const AGAIN = ':again';

/**
 * What has become of everything, as one line for each order. It leaves out how it was found out: which attempt was held
 * to be the current one on the way, whose event's time was kept, and which questions were asked.
 */
export function endOf(now: Snapshot): string {
  const lines = now.orders.map((order) => lineOf(order, now)).sort();
  const waiting = now.events
    .filter(({ status }) => status === 'pending')
    .map(({ event }) => event.id.replace(AGAIN, ''));
  return [...lines, ...(waiting.length > 0 ? [`waiting: ${[...new Set(waiting)].sort().join(' ')}`] : [])].join('\n');
}

function lineOf(order: MerchantOrder, { attempts, refunds, cases, tasks }: Snapshot): string {
  const isOurs = (row: { merchantOrderId: string | null }) => row.merchantOrderId === order.id;
  const { refundBasis } = order;
  const parts = [
    `${order.id} ${order.paymentStatus}`,
    `delivery ${order.fulfillmentStatus}${tasks.some((task) => isOurs(task) && task.task === 'fulfill') ? ' (task)' : ''}`,
    `session ${order.sessionStatus}`,
    `basis ${refundBasis ? `${refundBasis.amount} ${refundBasis.currency} of ${refundBasis.clinkOrderId}` : '-'}`,
    `refunded ${order.refundedAmount}${listed(refunds.filter(isOurs).map(({ refundId }) => refundId))}`,
    `attempts${listed(attempts.filter(isOurs).map((a) => `${a.clinkOrderId} ${a.status}`))}`,
  ];
  const filed = cases
    .filter(isOurs)
    .map(({ reason, refundId, clinkOrderId }) => `${reason} ${refundId ?? clinkOrderId}`);
  return [...parts, ...(filed.length > 0 ? [`cases${listed(filed)}`] : [])].join(' | ');
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? '' : ` (${[...words].sort().join(', ')})`;
}
