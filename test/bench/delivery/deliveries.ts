import { randomUUID } from 'node:crypto';
import type { Sql } from '../../../functions/database/connection.ts';
import type { ClinkEvent } from '../../../functions/decisions/event.ts';
import type { Received, SignedBody } from '../../../functions/flows/receive-event.ts';
import { clinkWebhookHandler } from '../../../functions/http/clink-webhook.ts';
import { clinkSignature, lambdaContext, payload } from '../../http/payload.ts';
import { orderBody, sessionBody } from '../../support/webhooks.ts';

/** Signs the event as Clink does, and hands it to the handler. Throws unless it was taken. */
export type Deliver = (event: object) => Promise<void>;

/** An order as its checkout leaves it, and what Clink is going to say about it. */
export interface NewOrder {
  readonly id: string;
  readonly created: object;
  readonly succeeded: object;
  readonly completed: object;
}

const SECRET = 'whsec_bench';

/** The real handler of deliveries, before whatever is to take the event in. */
export function handlerOf(receive: (event: ClinkEvent, body: SignedBody) => Promise<Received>): Deliver {
  const secrets = async () => [SECRET];
  const signingSecrets = { read: secrets, refresh: secrets };
  const handler = clinkWebhookHandler({ signingSecrets, receive, replayWindowMs: 300_000, now: Date.now });
  return async (event) => {
    const { statusCode } = await handler(signed(event), lambdaContext);
    if (statusCode !== 200) throw new Error(`a delivery was answered ${statusCode}`);
  };
}

/** Makes so many orders, with ids as scattered as real ones. */
export async function newOrders(owner: Sql, count: number): Promise<NewOrder[]> {
  const orders = Array.from({ length: count }, () => ({ id: `mo_${randomUUID()}`, sessionId: `sess_${randomUUID()}` }));
  await owner`
    INSERT INTO merchant_orders (id, customer_id, product_snapshot, original_amount, original_currency, clink_session_id,
                                 clink_checkout_url, payment_status)
    SELECT order_id, 'customer_' || hashtext(order_id) % 200000,
           '{"id":"poster","name":"Poster","unitAmount":"19.99","quantity":1}', 19.99, 'USD', session_id,
           'https://checkout.example/pay?token=' || md5(order_id), 'pending'
    FROM unnest(${orders.map(({ id }) => id)}::text[], ${orders.map((order) => order.sessionId)}::text[])
      AS new (order_id, session_id)`;
  return orders.map((order) => {
    const attempt = `order_${randomUUID()}`;
    const now = Date.now();
    return {
      id: order.id,
      created: orderBody('order.created', order, attempt, { created: now }),
      succeeded: orderBody('order.succeeded', order, attempt, { created: now + 1000 }),
      completed: sessionBody('session.complete', order, { created: now + 2000 }),
    };
  });
}

function signed(event: object) {
  const body = JSON.stringify(event);
  const timestamp = String(Date.now());
  const signature = clinkSignature(SECRET, timestamp, body);
  const headers = { 'x-clink-signtype': 'SHA256', 'x-clink-timestamp': timestamp, 'x-clink-signature': signature };
  return payload({ body, headers });
}
