import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeError, log } from '../../../functions/platform/log.ts';
import { answerByRoute, json, type Reply, type Route, readCall, seeOther, writeReply } from '../clink-double/http.ts';
import { Refusal } from '../clink-double/refusal.ts';
import { closeServer } from '../close-server.ts';
import { asset } from './assets.ts';
import { homePage } from './home-page.ts';
import { merchantRoutes } from './merchant.ts';
import { merchantPage } from './merchant-page.ts';
import { orderPage } from './order-page.ts';
import { ordersPage } from './orders-page.ts';
import type { ShopContext } from './shop-context.ts';
import { visitorCookie } from './visitor.ts';

export interface Shop {
  readonly url: string;
  close(): Promise<void>;
}

export interface ShopOptions extends ShopContext {
  /** 0 = any free port; on loopback only. */
  readonly port: number;
  /** Signs the calls to the demo merchant. */
  readonly merchantSigningSecret: string;
}

/** The demo shop and, below `/merchant` and `/control`, the demo merchant's endpoint. */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const { ledger, merchantSigningSecret: signingSecret } = options;
  const stopping = new AbortController();
  const routes = [...pages(options), ...merchantRoutes({ ledger, signingSecret, stopping: stopping.signal })];
  const server = createServer().listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', (request, response) => void serve(routes, url, request, response));
  return {
    url,
    close() {
      stopping.abort();
      return closeServer(server);
    },
  };
}

function pages(context: ShopContext): Route[] {
  return [
    ['GET', '/', (call) => homePage(context, call)],
    ['GET', '/return', (call) => orderPage(context, call, 'payment')],
    ['GET', '/cancel', (call) => orderPage(context, call, 'cancel')],
    ['GET', '/orders', (call) => ordersPage(context, call)],
    ['GET', '/merchant', (call) => merchantPage(context, call)],
    ['POST', '/sign-in', ({ body }) => signIn(new URLSearchParams(body).get('customer') ?? '')],
    ['GET', '/assets/:id', (_, name) => asset(name)],
  ];
}

function signIn(customerId: string): Reply {
  const { status, headers, body } = seeOther('/') as Exclude<Reply, 'lost'>;
  return { status, headers: { ...headers, 'set-cookie': visitorCookie(customerId) }, body };
}

async function serve(
  routes: readonly Route[],
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    // One address only: the API allows this origin, and a page of another name for this machine must not read from it.
    if (request.headers.host !== new URL(url).host) return writeReply(response, seeOther(`${url}${request.url}`));
    writeReply(response, await answerByRoute(routes, await readCall(request)));
  } catch (error) {
    if (!(error instanceof Refusal)) log.error('shop_failed', { ...describeError(error) });
    const [status, sentence] =
      error instanceof Refusal ? [error.status, error.message] : [500, 'The demo shop failed.'];
    writeReply(response, json({ error: sentence }, status));
  }
}
