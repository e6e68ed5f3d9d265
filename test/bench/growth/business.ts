import { randomUUID } from 'node:crypto';
import { connect, type Sql } from '../../../functions/database/connection.ts';
import { finishTask, takeOver } from '../../../functions/database/outbox.ts';
import { receiveEvent } from '../../../functions/flows/receive-event.ts';
import { clinkWebhookHandler } from '../../../functions/http/clink-webhook.ts';
import { claimTask } from '../../../functions/outbox/claim-task.ts';
import { clinkSignature, lambdaContext, payload } from '../../http/payload.ts';
import { orderBody, sessionBody } from '../../support/webhooks.ts';
import type { BenchDatabase } from '../part.ts';

/** A backend at work on one of the databases. */
export interface Business {
  readonly name: string;
  readonly owner: Sql;
  readonly app: Sql;
  /** Events per second of the deliveries about so many new orders, three each. */
  eventsPerSecond(orders: number): Promise<number>;
  /** How long each of so many claims takes, in milliseconds, of the tasks that the orders have left. */
  claimTimes(claims: number): Promise<number[]>;
  close(): Promise<void>;
}

const SECRET = 'whsec_bench';
const AT_ONCE = 8;
const LEASE_MS = 300_000;

export function openBusiness(name: string, database: BenchDatabase): Business {
  const owner = connect({ url: database.ownerUrl, max: 1 });
  const app = connect({ url: database.appUrl, max: AT_ONCE });
  const wakeUp = async (): Promise<void> => undefined;
  const handler = clinkWebhookHandler({
    signingSecrets: { read: async () => [SECRET], refresh: async () => [SECRET] },
    receive: (event, body) => receiveEvent({ sql: app, wakeUp }, event, body),
    replayWindowMs: 300_000,
    now: Date.now,
  });

  async function deliverEach(histories: Iterable<readonly object[]>): Promise<void> {
    for (const history of histories) {
      for (const event of history) {
        const { statusCode } = await handler(signed(event), lambdaContext);
        if (statusCode !== 200) throw new Error(`a delivery was answered ${statusCode}`);
      }
    }
  }

  async function finish(ticket: { id: number; claimToken: string }): Promise<void> {
    const take = {
      ...ticket,
      ticket: ticket.claimToken,
      claimToken: randomUUID(),
      workerId: 'bench',
      leaseMs: LEASE_MS,
    };
    const owned = await takeOver(app, take);
    if (owned) await finishTask(app, owned);
  }

  return {
    name,
    owner,
    app,
    async eventsPerSecond(orders) {
      const histories = await newOrders(owner, orders);
      const next = histories.values();
      const begun = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, () => deliverEach(next)));
      return histories.flat().length / ((performance.now() - begun) / 1000);
    },
    async claimTimes(claims) {
      const times: number[] = [];
      const claim = { sql: app, leaseMs: LEASE_MS, maxInFlight: () => 1, newToken: randomUUID };
      for (let n = 0; n < claims; n++) {
        const begun = performance.now();
        const [ticket] = await claimTask(claim, 'fulfill');
        times.push(performance.now() - begun);
        if (!ticket) throw new Error('no task was left to claim');
        await finish(ticket);
      }
      return times;
    },
    async close() {
      await Promise.all([owner.end(), app.end()]);
      await database.drop();
    },
  };
}

/** Orders as their checkouts leave them, and what Clink is going to say about each. */
async function newOrders(owner: Sql, count: number): Promise<object[][]> {
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
    const succeeded = orderBody('order.succeeded', order, attempt, { created: Date.now() + 1000 });
    const created = orderBody('order.created', order, attempt, { created: Date.now() });
    return [created, succeeded, sessionBody('session.complete', order, { created: Date.now() + 2000 })];
  });
}

function signed(event: object) {
  const body = JSON.stringify(event);
  const timestamp = String(Date.now());
  const signature = clinkSignature(SECRET, timestamp, body);
  const headers = { 'x-clink-signtype': 'SHA256', 'x-clink-timestamp': timestamp, 'x-clink-signature': signature };
  return payload({ body, headers });
}
