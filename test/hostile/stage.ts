import { randomUUID } from 'node:crypto';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  APIGatewayProxyEventV2WithJWTAuthorizer as SignedIn,
} from 'aws-lambda';
import { createClinkClient } from '../../functions/clink/client.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { showOrder } from '../../functions/flows/show-order.ts';
import { startCheckout } from '../../functions/flows/start-checkout.ts';
import { clinkWebhookHandler } from '../../functions/http/clink-webhook.ts';
import { createCheckoutHandler } from '../../functions/http/create-checkout.ts';
import { getOrderHandler } from '../../functions/http/get-order.ts';
import { lambdaContext } from '../http/payload.ts';
import { API_KEY, type Backend, type Order, startBackend } from '../support/backend.ts';
import { orderBody } from '../support/webhooks.ts';
import { SECRETS } from './signatures.ts';
import { startWatch, type Watch } from './watch.ts';

type Answer = { readonly status: number; readonly body: string };
type Send = (event: APIGatewayProxyEventV2) => Promise<Answer>;

export interface RowCounts {
  readonly events: number;
  readonly orders: number;
  /** Everything else that a request could leave. */
  readonly others: number;
}

/** The three endpoints on a real database, with orders to aim at, and everything watched that they let out. */
export interface Stage {
  readonly backend: Backend;
  readonly watch: Watch;
  readonly send: { readonly webhook: Send; readonly checkout: Send; readonly lookup: Send };
  /** Writes the ids of the moment into a text: an order, its session and attempt, another order, a new event and refund. */
  fill(text: string): string;
  /** Gives the next requests untouched orders: one that is new, one that is being paid, one that is paid. */
  renew(): Promise<void>;
  count(): Promise<RowCounts>;
  /** How often an event is stored, and whether with just this body. */
  stored(id: string, body: string): Promise<{ rows: number; isBody: boolean }>;
  /** Runs every task that is due once, and says how many and which errors they met. */
  runTasks(): Promise<{ ran: number; errors: readonly string[] }>;
  close(): Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const backend = await startBackend();
  const watch = startWatch();
  const { app: sql, owner } = backend.db;
  const wakeUp = async (): Promise<void> => undefined;
  let aims: readonly { readonly order: Order; readonly attempt: string }[] = [];
  let serial = 0;

  const webhook = clinkWebhookHandler({
    signingSecrets: { read: async () => SECRETS, refresh: async () => SECRETS },
    receive: (event, body) => receiveEvent({ sql, wakeUp }, event, body),
    replayWindowMs: 300_000,
    now: Date.now,
  });
  const flow = {
    sql,
    clink: createClinkClient({ baseUrl: `${backend.gate.url}/api`, apiKeys: async () => [API_KEY], timeoutMs: 5_000 }),
    shopUrls: { success: 'https://shop.example/return', cancel: 'https://shop.example/cancel' },
    wakeUp,
    now: Date.now,
    newId: () => `mo_${randomUUID()}`,
    wait: async () => undefined,
  };
  const checkout = createCheckoutHandler({ startCheckout: (command) => startCheckout(flow, command) });
  const lookup = getOrderHandler({ showOrder: (customer, id) => showOrder(sql, customer, id) });

  const sender =
    <E extends APIGatewayProxyEventV2>(handle: (event: E) => Promise<APIGatewayProxyStructuredResultV2>): Send =>
    async (event) => {
      // A Lambda gets its event as JSON, and so do we: nothing arrives that JSON cannot carry.
      const { statusCode = 0, body = '' } = await handle(JSON.parse(JSON.stringify(event)) as E);
      return { status: statusCode, body };
    };

  async function aim(...types: readonly Parameters<typeof orderBody>[0][]) {
    const order = await backend.checkout();
    const attempt = `order_${randomUUID()}`;
    for (const type of types) await backend.deliver(orderBody(type, order, attempt, { created: 1_786_000_000_000 }));
    return { order, attempt };
  }

  return {
    backend,
    watch,
    send: {
      webhook: sender((event) => webhook(event, lambdaContext)),
      checkout: sender((event: SignedIn) => checkout(event, lambdaContext)),
      lookup: sender((event: SignedIn) => lookup(event, lambdaContext)),
    },
    fill(text) {
      serial += 1;
      const [first, second] = [aims[serial % aims.length], aims[(serial + 1) % aims.length]];
      return text
        .replaceAll('@@order@@', first?.order.id ?? '')
        .replaceAll('@@session@@', first?.order.sessionId ?? '')
        .replaceAll('@@attempt@@', first?.attempt ?? '')
        .replaceAll('@@other-order@@', second?.order.id ?? '')
        .replaceAll('@@other-session@@', second?.order.sessionId ?? '')
        .replaceAll('@@event@@', `event_hostile_${serial}`)
        .replaceAll('@@refund@@', `refund_hostile_${serial}`);
    },
    async renew() {
      aims = [await aim(), await aim('order.created'), await aim('order.created', 'order.succeeded')];
    },
    async count() {
      const [row] = await owner<RowCounts[]>`
        SELECT (SELECT count(*) FROM webhook_events) AS events, (SELECT count(*) FROM merchant_orders) AS orders,
               (SELECT count(*) FROM outbox) + (SELECT count(*) FROM order_journal) + (SELECT count(*) FROM refunds)
               + (SELECT count(*) FROM payment_attempts) + (SELECT count(*) FROM reconciliation_cases) AS others`;
      return row ?? { events: 0, orders: 0, others: 0 };
    },
    async stored(id, body) {
      const rows = await owner<{ payload: string }[]>`SELECT payload FROM webhook_events WHERE id = ${id}`;
      return { rows: rows.length, isBody: rows[0]?.payload === body };
    },
    async runTasks() {
      const ran = await backend.runDue();
      const failed = await owner<{ error: string }[]>`
        UPDATE outbox SET next_retry_at = now() + interval '1 year'
        WHERE last_error IS NOT NULL AND next_retry_at < now() + interval '1 month'
        RETURNING task || ': ' || last_error AS error`;
      return { ran: ran.length, errors: failed.map(({ error }) => error) };
    },
    async close() {
      watch.stop();
      await backend.close();
    },
  };
}
