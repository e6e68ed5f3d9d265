import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ClinkDouble, type ClinkDoubleOptions, startClinkDouble } from '../../bin/local/clink-double/server.ts';

export const API_KEY = 'sk_test_double';
export const SIGNING_SECRET = 'whsec_double_secret';

export type Fields = Record<string, unknown>;

export interface Ledger {
  sessions: Fields[];
  orders: Fields[];
  refunds: Fields[];
  events: { id: string; type: string }[];
  deliveries: { type: string; state: string; attempts: number; lastResult: string | null }[];
  delivery: Fields;
}

/** One webhook as it arrived, with the HMAC recomputed over the raw body. */
export interface Webhook {
  headers: NodeJS.Dict<string | string[]>;
  body: string;
  id: string;
  type: string;
  created: number;
  object: Fields;
  expectedSignature: string;
}

/** A merchant's webhook endpoint: a real HTTP server that keeps what it is sent. */
export interface Receiver {
  url: string;
  webhooks: Webhook[];
  /** The HTTP status of the next answers; without one left it is 200. */
  statuses: number[];
  /** Resolves with everything received once that is at least this much. */
  received(count: number): Promise<Webhook[]>;
}

export async function startReceiver(secret: () => string = () => SIGNING_SECRET): Promise<Receiver> {
  const arrivals = new EventEmitter();
  const webhooks: Webhook[] = [];
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      webhooks.push(readWebhook(request.headers, Buffer.concat(chunks).toString(), secret()));
      response.writeHead(statuses.shift() ?? 200).end('ok', () => arrivals.emit('arrival'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    webhooks,
    statuses,
    async received(count) {
      while (webhooks.length < count) await once(arrivals, 'arrival');
      return [...webhooks];
    },
  };
}

function readWebhook(headers: Webhook['headers'], body: string, secret: string): Webhook {
  const { id, type, created, data } = JSON.parse(body);
  const signed = `${String(headers['x-clink-timestamp'])}.${body}`;
  const expectedSignature = createHmac('sha256', Buffer.from(secret, 'utf8')).update(signed).digest('hex');
  return { headers, body, id, type, created, object: data.object, expectedSignature };
}

/** Starts a double in memory with the test's own keys; it is closed when the test ends. */
export async function startDouble(options: Partial<ClinkDoubleOptions> = {}): Promise<ClinkDouble> {
  const double = await startClinkDouble({
    port: 0,
    databaseFile: ':memory:',
    webhookUrl: () => 'http://127.0.0.1:1/nobody',
    apiKeys: () => [API_KEY],
    signingSecret: () => SIGNING_SECRET,
    ...options,
  });
  onTestFinished(() => double.close());
  return double;
}

/** Calls the double's API as a merchant. A text body is sent as it is. */
export function callApi(double: ClinkDouble, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${double.url}/api${path}`, {
    method,
    headers: { 'X-API-Key': API_KEY, 'X-Timestamp': String(Date.now()), 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** The JSON object of an answer. */
export async function jsonOf(response: Response): Promise<Fields> {
  return (await response.json()) as Fields;
}

/** The `data` of an API answer. */
export async function apiData(double: ClinkDouble, path: string): Promise<Fields> {
  return (await jsonOf(await callApi(double, 'GET', path))).data as Fields;
}

/** What the double says has happened. */
export async function readLedger(url: string): Promise<Ledger> {
  return (await (await fetch(`${url}/control/state`)).json()) as Ledger;
}

/** A path for a database that is removed when the test ends. */
export async function temporaryDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clink-double-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'clink.sqlite');
}

/** Calls the control API, expects 200 and returns its JSON. */
export async function control(double: ClinkDouble, method: string, path: string, body?: unknown): Promise<Fields> {
  const response = await fetch(`${double.url}/control${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status !== 200) throw new Error(`${method} ${path}: ${await response.text()}`);
  return jsonOf(response);
}

export const CHECKOUT = {
  originalAmount: 39.98,
  originalCurrency: 'USD',
  customerEmail: 'shopper@example.test',
  referenceCustomerId: 'user-1',
  merchantReferenceId: 'm-1001',
  priceDataList: [{ name: 'Mug', unitAmount: 19.99, quantity: 2, currency: 'USD' }],
  successUrl: 'https://shop.example.test/return?order=m-1001&tab=a%20b#top',
  cancelUrl: 'https://shop.example.test/cart',
  metadata: { cart: 'c-1' },
};

export interface OpenedSession {
  sessionId: string;
  url: string;
  tokenValue: string;
  customerId: string;
  expireTime: string;
}

/** Opens a session and returns what the API answered. */
export async function openSession(double: ClinkDouble, changes: Fields = {}): Promise<OpenedSession> {
  const response = await callApi(double, 'POST', '/checkout/session', { ...CHECKOUT, ...changes });
  return (await jsonOf(response)).data as OpenedSession;
}
