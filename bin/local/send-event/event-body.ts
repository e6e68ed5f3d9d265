import { randomUUID } from 'node:crypto';
import { JsonNumber } from '../../../functions/clink/json.ts';
import type { OrderToTellOf } from '../database/orders.ts';
import { Problem } from '../problem.ts';
import { type Flags, wholeNumber } from './flags.ts';

const STATUS_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['order.created', 'created'],
  ['order.next_action', 'requires_action'],
  ['order.succeeded', 'success'],
  ['order.failed', 'failed'],
  ['session.complete', 'completed'],
  ['session.expired', 'expired'],
  ['refund.succeeded', 'success'],
]);

/** The body of an event as Clink writes it. `order`: what is known of the order it tells of. */
export function eventBody(flags: Flags, order: OrderToTellOf | undefined, now: number): string {
  const { type = '' } = flags;
  return JSON.stringify({
    id: flags.event ?? newId('event'),
    object: 'event',
    type,
    created: wholeNumber('created', flags.created, now),
    data: { object: resource(type, flags, order) },
  });
}

export function newId(prefix: string): string {
  return `${prefix}_local_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

function resource(type: string, flags: Flags, order: OrderToTellOf | undefined): object {
  const status = flags.status ?? STATUS_OF_TYPE.get(type);
  const orderId = flags['clink-order'] ?? order?.clinkOrderId ?? undefined;
  if (type === 'refund.succeeded') {
    const money = moneyFields('refundAmount', 'refundCurrency', flags, order);
    return { refundId: flags.refund ?? newId('rfd'), orderId, status, ...money };
  }
  return {
    orderId: type.startsWith('order.') ? (orderId ?? newId('order')) : orderId,
    merchantReferenceId: flags.order,
    sessionId: flags['foreign-session'] ? newId('sess_foreign') : (flags.session ?? order?.clinkSessionId ?? undefined),
    status,
    ...(type === 'order.succeeded' || flags.amount !== undefined
      ? moneyFields('amountTotal', 'paymentCurrency', flags, order)
      : {}),
    failureCode: flags['failure-code'],
  };
}

function moneyFields(amountName: string, currencyName: string, flags: Flags, order: OrderToTellOf | undefined): object {
  const amount = flags.amount ?? order?.amount;
  return {
    [amountName]: amount === undefined ? undefined : jsonNumber(amount),
    [currencyName]: flags.currency ?? order?.currency,
  };
}

function jsonNumber(text: string): JsonNumber {
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) throw new Problem('--amount must be a number');
  return new JsonNumber(text);
}
