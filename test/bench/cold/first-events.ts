import { randomUUID } from 'node:crypto';
import type { Sql } from '../../../functions/database/connection.ts';
import { insertOrder } from '../../../functions/database/merchant-orders.ts';
import { clinkSignature, payload, signedInPayload } from '../../http/payload.ts';
import type { Order } from '../../support/backend.ts';
import { orderBody } from '../../support/webhooks.ts';
import { SIGNING_SECRET } from './surroundings.ts';

const CUSTOMER = { sub: 'customer_1', email: 'shopper@example.test' };
const POSTER = { id: 'poster', name: 'Poster', unitAmount: '19.99', quantity: 1 };

/** The event that each HTTP function is started for; every start gets one of its own. */
export const FIRST_EVENTS = {
  'http/create-checkout': async () =>
    signedInPayload(CUSTOMER, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ productId: POSTER.id, quantity: 1 }),
    }),
  'http/get-order': async (owner: Sql) =>
    signedInPayload(CUSTOMER, { pathParameters: { id: (await newOrder(owner)).id } }),
  // The payment, for it asks most: its answer waits for the wake-up of whoever delivers the goods.
  'http/clink-webhook': async (owner: Sql) =>
    delivery(JSON.stringify(orderBody('order.succeeded', await newOrder(owner), `order_${randomUUID()}`))),
} as const;

export type HttpEntry = keyof typeof FIRST_EVENTS;

/** Has something on sale. */
export async function fillShop(owner: Sql): Promise<void> {
  await owner`INSERT INTO products (id, name, unit_amount, currency) VALUES (${POSTER.id}, ${POSTER.name}, 1999, 'USD')`;
}

async function newOrder(owner: Sql): Promise<Order> {
  const id = `mo_${randomUUID()}`;
  await insertOrder(owner, {
    id,
    customerId: CUSTOMER.sub,
    product: POSTER,
    amount: '19.99',
    currency: 'USD',
    idempotencyKey: null,
    requestHash: null,
  });
  return { id, sessionId: `session_${id}` };
}

function delivery(body: string): object {
  const timestamp = String(Date.now());
  return payload({
    body,
    headers: {
      'x-clink-signtype': 'SHA256',
      'x-clink-timestamp': timestamp,
      'x-clink-signature': clinkSignature(SIGNING_SECRET, timestamp, body),
    },
  });
}
