import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Sql } from '../../../functions/database/connection.ts';
import type { ClinkEvent } from '../../../functions/decisions/event.ts';
import type { Received, SignedBody } from '../../../functions/flows/receive-event.ts';
import { clinkWebhookHandler } from '../../../functions/http/clink-webhook.ts';
import { clinkSignature, lambdaContext, payload } from '../../http/payload.ts';
import { T } from '../../support/clink-events.ts';
import { orderBody } from '../../support/webhooks.ts';

/** Orders whose shopper has just been sent to Clink, and the deliveries that tell of their payment. */

/** `order.created`, then `order.succeeded`, of one order. */
export type History = readonly [created: APIGatewayProxyEventV2, succeeded: APIGatewayProxyEventV2];

/** What stores an event and all that it means. */
export type Receive = (sql: Sql, event: ClinkEvent, body: SignedBody) => Promise<Received>;

export type Deliver = (delivery: APIGatewayProxyEventV2) => Promise<void>;

const SECRET = 'whsec_bench';

/** Makes the orders `from` to `from + count - 1`, as their checkouts leave them. */
export async function makeOrders(owner: Sql, from: number, count: number): Promise<void> {
  await owner`
    INSERT INTO merchant_orders (id, customer_id, product_snapshot, original_amount, original_currency,
                                 clink_session_id, clink_checkout_url, payment_status)
    SELECT 'mo_' || n, 'customer_' || n, '{"id":"poster","name":"Poster","unitAmount":"19.99","quantity":1}', 19.99,
           'USD', 'sess_' || n, 'https://clink.example/pay/sess_' || n, 'pending'
    FROM generate_series(${from}::int, ${from + count - 1}::int) AS n`;
}

/** What Clink sends about one of these orders; the same bodies whenever asked for. */
export function historyOf(order: number): History {
  const stored = { id: `mo_${order}`, sessionId: `sess_${order}` };
  const attempt = `order_${order}`;
  return [
    signed(orderBody('order.created', stored, attempt, { id: `event_${order}_created` })),
    signed(orderBody('order.succeeded', stored, attempt, { id: `event_${order}_succeeded`, created: T + 1000 })),
  ];
}

/** The real handler of deliveries, before whatever is to take the event in. */
export function handlerOf(receive: (event: ClinkEvent, body: SignedBody) => Promise<Received>): Deliver {
  const handler = clinkWebhookHandler({
    signingSecrets: { read: async () => [SECRET], refresh: async () => [SECRET] },
    receive,
    replayWindowMs: 300_000,
    now: Date.now,
  });
  return async (delivery) => {
    const { statusCode } = await handler(delivery, lambdaContext);
    if (statusCode !== 200) throw new Error(`a delivery was answered ${statusCode}`);
  };
}

function signed(event: object): APIGatewayProxyEventV2 {
  const body = JSON.stringify(event);
  const timestamp = String(Date.now());
  return payload({
    body,
    headers: {
      'x-clink-signtype': 'SHA256',
      'x-clink-timestamp': timestamp,
      'x-clink-signature': clinkSignature(SECRET, timestamp, body),
    },
  });
}
