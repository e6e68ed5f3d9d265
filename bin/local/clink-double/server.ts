import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerApi } from './api.ts';
import { controlRoutes } from './control.ts';
import { Courier } from './courier.ts';
import { dashboardRoutes } from './dashboard.ts';
import { openDatabase } from './database.ts';
import { html, page } from './html.ts';
import { answerByRoute, type Call, json, type Reply, readCall, seeOther, writeReply } from './http.ts';
import { paymentPages } from './pages.ts';
import { catchUp } from './passing-time.ts';
import { Refusal } from './refusal.ts';
import type { Rotation } from './rotation.ts';
import { createWorld, type World } from './world.ts';

export interface ClinkDoubleOptions {
  /** 0 = any free port. The double listens on 127.0.0.1 only. */
  port: number;
  /** A file that outlives the process, SIGKILL included, or `:memory:`. */
  databaseFile: string;
  /** Where signed webhooks go; asked before each delivery. */
  webhookUrl: () => string;
  /** The accepted `X-API-Key` values: several while a rotation is under way. */
  apiKeys: () => readonly string[];
  /** The current `whsec_…`; asked before each delivery. */
  signingSecret: () => string;
  /** Replaces a key when the dashboard or a script asks for it. */
  rotate?: Rotation;
  /** Unix milliseconds. */
  now?: () => number;
  /** From 0 up to 1, for ids. */
  random?: () => number;
  /** The waits before each redelivery of a webhook; ten of them by default. */
  retryDelaysMs?: readonly number[];
}

export interface ClinkDouble {
  /** Such as `http://127.0.0.1:1234`; the API's base address is this and `/api`. */
  url: string;
  close(): Promise<void>;
}

const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000];
const TICK_MS = 1000;

/** Starts a stand-in for Clink: API, hosted payment page, dashboard, control API and signed webhooks. */
export async function startClinkDouble(options: ClinkDoubleOptions): Promise<ClinkDouble> {
  const { now = Date.now, random = Math.random, retryDelaysMs = RETRY_DELAYS_MS } = options;
  const server = createServer().listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const database = openDatabase(options.databaseFile);
  const world = createWorld({ database, url, now, random });
  const courier = new Courier({ ...options, database, now, retryDelaysMs });
  const answer = answerFrom(world, options);

  const moveOn = (): void => {
    if (!database.isOpen) return;
    catchUp(world);
    courier.wake();
  };
  server.on('request', (request, response) => void serve(request, response, answer, moveOn));
  const ticking = setInterval(moveOn, TICK_MS);
  moveOn();

  return {
    url,
    async close() {
      clearInterval(ticking);
      server.close();
      server.closeAllConnections();
      await courier.stop();
      if (database.isOpen) database.close();
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (call: Call) => Promise<Reply>,
  moveOn: () => void,
): Promise<void> {
  let path = '/';
  try {
    const call = await readCall(request);
    path = call.path;
    moveOn();
    const answering = answer(call);
    // What the call does is done by now, and its webhooks go out, also when its answer is a slow one.
    moveOn();
    writeReply(response, await answering);
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    writeReply(response, failure(path, error));
  }
}

function answerFrom(world: World, options: ClinkDoubleOptions): (call: Call) => Promise<Reply> {
  const control = controlRoutes(world, options.rotate);
  const pages = [...paymentPages(world), ...dashboardRoutes(world, options.rotate)];
  return async (call) => {
    if (call.path === '/') return seeOther('/dashboard');
    if (call.path.startsWith('/api/')) return answerApi(world, options.apiKeys(), call);
    return answerByRoute(call.path.startsWith('/control/') ? control : pages, call);
  };
}

function failure(path: string, error: unknown): Reply {
  if (!(error instanceof Refusal)) console.error('The Clink double failed:', error);
  const status = error instanceof Refusal ? error.status : 500;
  const sentence = error instanceof Refusal ? error.message : 'The Clink double failed.';
  if (!path.startsWith('/pay/') && !path.startsWith('/dashboard')) return json({ error: sentence }, status);
  return page(
    'Not possible',
    html`<body class="checkout"><main class="card"><h1>Not possible</h1><p>${sentence}</p></main></body>`,
    status,
  );
}
