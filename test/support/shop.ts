import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createClinkClient } from '../../functions/clink/client.ts';
import { showOrder } from '../../functions/flows/show-order.ts';
import { type CheckoutFlow, startCheckout } from '../../functions/flows/start-checkout.ts';
import { createCheckoutHandler } from '../../functions/http/create-checkout.ts';
import { getOrderHandler } from '../../functions/http/get-order.ts';
import { lambdaContext, signedInPayload } from '../http/payload.ts';
import { API_KEY, type Backend, startBackend } from './backend.ts';
import { type Gate, startGate } from './gate.ts';

export interface Purchase {
  readonly productId?: string;
  readonly quantity?: number;
  readonly key?: string;
  readonly customerId?: string;
  readonly email?: string;
  /** Fields that a body should not have. */
  readonly more?: object;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The backend as its shop sees it: both JSON routes, with a gate before Clink. */
export interface Shop {
  readonly backend: Backend;
  readonly gate: Gate;
  sell(id: string, unitAmount: number, currency: string): Promise<void>;
  /** Asks the checkout route; `flow` replaces parts of what it works with. */
  buy(purchase?: Purchase, flow?: Partial<CheckoutFlow>): Promise<Answer>;
  look(merchantOrderId: string, customerId?: string): Promise<Answer>;
  /** A client of Clink's API behind the gate. */
  clink(options?: { timeoutMs?: number; apiKeys?: () => Promise<readonly string[]> }): CheckoutFlow['clink'];
  /** Ids of the sessions that Clink has opened for an order, oldest first. */
  sessionsOf(merchantOrderId: string): Promise<string[]>;
  /** Has Clink answer the next request for a session with this, without opening one unless the answer is `lost`. */
  nextAnswer(answer: { status?: number; body?: unknown; lost?: true }): Promise<void>;
  close(): Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const backend = await startBackend();
  const gate = await startGate(backend.clinkUrl);
  const clink: Shop['clink'] = ({ timeoutMs = 20_000, apiKeys = async () => [API_KEY] } = {}) =>
    createClinkClient({ baseUrl: `${gate.url}/api`, apiKeys, timeoutMs });
  const flow: CheckoutFlow = {
    sql: backend.db.app,
    clink: clink(),
    shopUrls: { success: 'https://shop.example/return?lang=en', cancel: 'https://shop.example/cart' },
    wakeUp: async () => undefined,
    now: Date.now,
    newId: () => `mo_${randomUUID()}`,
    wait: async () => void (await setImmediate()),
  };
  const orderRoute = getOrderHandler({ showOrder: (customer, id) => showOrder(backend.db.app, customer, id) });

  return {
    backend,
    gate,
    clink,
    async sell(id, unitAmount, currency) {
      await backend.db.owner`INSERT INTO products ${backend.db.owner({ id, name: id, unitAmount, currency })}`;
    },
    async buy({ productId = 'poster', quantity = 1, key, customerId = 'customer_1', email, more } = {}, changes = {}) {
      const route = createCheckoutHandler({
        startCheckout: (command) => startCheckout({ ...flow, ...changes }, command),
      });
      const claims = { sub: customerId, email: email ?? `${customerId}@example.test` };
      const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
      const body = JSON.stringify({ productId, quantity, ...more });
      return read(await route(signedInPayload(claims, { headers, body }), lambdaContext));
    },
    async look(id, customerId = 'customer_1') {
      return read(await orderRoute(signedInPayload({ sub: customerId }, { pathParameters: { id } }), lambdaContext));
    },
    async sessionsOf(merchantOrderId) {
      const { sessions } = (await backend.clinkControl('GET', '/state')) as {
        sessions: { sessionId: string; merchantReferenceId: string }[];
      };
      return sessions.filter((s) => s.merchantReferenceId === merchantOrderId).map((s) => s.sessionId);
    },
    async nextAnswer(answer) {
      await backend.clinkControl('PUT', '/answers', { method: 'POST', path: '/checkout/session', ...answer });
    },
    async close() {
      await gate.close();
      await backend.close();
    },
  };
}

function read({ statusCode, body, headers }: APIGatewayProxyStructuredResultV2): Answer {
  return { status: statusCode ?? 0, body: JSON.parse(body ?? '{}') as Answer['body'], headers: headers ?? {} };
}
