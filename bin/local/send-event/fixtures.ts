import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from '../../../functions/database/connection.ts';
import { findBookedOrder, findOrderToTellOf } from '../database/orders.ts';
import { Problem } from '../problem.ts';
import type { Stack } from '../stack-file.ts';
import { deliver } from './delivery.ts';
import { eventBody, newId } from './event-body.ts';
import type { Flags } from './flags.ts';

export interface Check {
  readonly what: string;
  readonly seen: string;
  readonly expected: string;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
const PRODUCT = 'enamel-mug';

/**
 * Plays the merchant-owned fixture events for a new order: created, succeeded, the exact duplicate, an older failure, a
 * bad signature, a foreign session. Resolves with everything that was checked.
 */
export async function playFixtures(stack: Stack, sql: Sql, now: number): Promise<Check[]> {
  const merchantOrderId = await createOrder(stack);
  const order = await findOrderToTellOf(sql, merchantOrderId);
  const target = { url: `${stack.apiUrl}/api/webhooks/clink`, signingKey: stack.webhookSigningKey };
  const clinkOrderId = newId('order');
  const body = (flags: Flags): string =>
    eventBody({ order: merchantOrderId, 'clink-order': clinkOrderId, ...flags }, order, now);
  const succeeded = body({ type: 'order.succeeded', created: String(now + 1_000) });
  const deliveries: readonly (readonly [what: string, body: string, badSignature: boolean, expected: string])[] = [
    ['order.created', body({ type: 'order.created', created: String(now) }), false, '200'],
    ['order.succeeded', succeeded, false, '200'],
    ['the same once more', succeeded, false, '200'],
    [
      'an older order.failed',
      body({ type: 'order.failed', created: String(now + 500), 'failure-code': 'declined' }),
      false,
      '200',
    ],
    ['a bad signature', body({ type: 'order.created', created: String(now) }), true, '401'],
    [
      'a foreign session',
      body({ type: 'order.succeeded', created: String(now + 1_000), 'foreign-session': true }),
      false,
      '200',
    ],
  ];
  const answers: Check[] = [];
  for (const [what, text, badSignature, expected] of deliveries) {
    const { status } = await deliver(target, text, { badSignature, timestamp: Date.now() });
    answers.push({ what: `answer to ${what}`, seen: String(status), expected });
  }
  const basis = `${clinkOrderId} / ${order?.amount} / ${order?.currency}`;
  return [...answers, ...(await settled(() => outcome(stack, sql, merchantOrderId, basis)))];
}

async function createOrder({ apiUrl, customers }: Stack): Promise<string> {
  const response = await fetch(`${apiUrl}/api/checkout/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customers[0]?.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ productId: PRODUCT, quantity: 1 }),
  });
  const { merchantOrderId } = (await response.json()) as { merchantOrderId?: unknown };
  if (typeof merchantOrderId !== 'string') throw new Problem(`the API made no order (HTTP ${response.status})`);
  return merchantOrderId;
}

/** The checks as soon as all are as expected, or as they are when patience ends. */
async function settled(look: () => Promise<Check[]>): Promise<Check[]> {
  const deadline = Date.now() + PATIENCE_MS;
  let checks = await look();
  while (Date.now() < deadline && checks.some(({ seen, expected }) => seen !== expected)) {
    await wait(PAUSE_MS);
    checks = await look();
  }
  return checks;
}

async function outcome({ shopUrl }: Stack, sql: Sql, merchantOrderId: string, basis: string): Promise<Check[]> {
  const order = await findBookedOrder(sql, merchantOrderId);
  const calls = (await (await fetch(`${shopUrl}/control/calls`)).json()) as readonly MerchantCall[];
  const ofOrder = (task: string): string =>
    String(calls.filter((call) => call.task === task && call.body.data?.merchantOrderId === merchantOrderId).length);
  return [
    { what: 'payment', seen: String(order?.paymentStatus), expected: 'paid' },
    { what: 'refund basis', seen: String(order?.refundBasis), expected: basis },
    { what: 'fulfilment', seen: String(order?.fulfillmentStatus), expected: 'fulfilled' },
    { what: 'fulfil tasks', seen: String(order?.fulfillTasks), expected: '1' },
    { what: 'cases', seen: String(order?.cases), expected: '1' },
    { what: "merchant's deliveries", seen: ofOrder('fulfill'), expected: '1' },
    { what: "merchant's cases", seen: ofOrder('manual_reconciliation'), expected: '1' },
  ];
}

interface MerchantCall {
  readonly task: string;
  readonly body: { readonly data?: { readonly merchantOrderId?: unknown } };
}
