import type { OrderAnswer, SessionAnswer } from '../decisions/event.ts';
import { readEnvelope } from './envelope.ts';
import { exchange, type Request } from './exchange.ts';
import { ClinkError } from './failure.ts';
import type { JsonObject } from './json.ts';
import { pathSegment } from './path.ts';
import {
  readCreatedSession,
  readOrderAnswer,
  readSessionAnswer,
  type SessionRequest,
  writeSessionRequest,
} from './wire.ts';

export interface ClinkClient {
  /** `POST /checkout/session`. Clink has no idempotency here: a second call makes a second session. */
  createSession(
    request: SessionRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly clinkSessionId: string; readonly checkoutUrl: string }>;
  /** `GET /order/{id}` */
  getOrder(clinkOrderId: string, signal?: AbortSignal): Promise<OrderAnswer>;
  /** `GET /checkout/session/{id}` */
  getSession(clinkSessionId: string, signal?: AbortSignal): Promise<SessionAnswer>;
}

export interface ClinkClientOptions {
  /** With the `/api` that Clink's paths start from. */
  readonly baseUrl: string;
  /** The current key first; a second one is tried when Clink answers 401 to the first. Its failure is thrown as it is. */
  readonly apiKeys: () => Promise<readonly string[]>;
  /** Asked when Clink answers 401 to all of them: a key that was just rotated in must work at once. */
  readonly freshApiKeys?: () => Promise<readonly string[]>;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
  /** For one call with all that belongs to it, in milliseconds. */
  readonly timeoutMs: number;
}

/** Calls throw `ClinkError`, or the caller's own abort reason. */
export function createClinkClient(options: ClinkClientOptions): ClinkClient {
  const { apiKeys, freshApiKeys = apiKeys, fetch = globalThis.fetch, now = Date.now, timeoutMs } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');

  async function call(request: Request, signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted();
    const deadline = AbortSignal.timeout(timeoutMs);
    const send = (apiKey: string) => exchange({ baseUrl, fetch, now, apiKey, deadline, caller: signal }, request);
    const keys = await apiKeys();
    let answer = await sendWithAny(keys, send);
    if (!answer) throw new ClinkError({ ...request, reason: 'no_api_key', status: null, code: null });
    if (answer.status === 401) {
      const fresh = (await freshApiKeys()).filter((key) => !keys.includes(key));
      answer = (await sendWithAny(fresh, send)) ?? answer;
    }
    return dataOf(request, answer);
  }

  async function get(collection: string, id: string, signal?: AbortSignal): Promise<JsonObject> {
    const segment = pathSegment(id);
    const path = `${collection}/${segment ?? '{id}'}`;
    if (segment === null) {
      throw new ClinkError({ method: 'GET', path, reason: 'unusable_id', status: null, code: null });
    }
    return call({ method: 'GET', path, body: null }, signal);
  }

  return {
    async createSession(request, signal) {
      const post: Request = {
        method: 'POST',
        path: '/checkout/session',
        body: JSON.stringify(writeSessionRequest(request)),
      };
      const session = readCreatedSession(await call(post, signal));
      if (session === null) throw new ClinkError({ ...post, reason: 'unreadable', status: 200, code: 200 });
      return session;
    },
    getOrder: async (id, signal) => readOrderAnswer(await get('/order', id, signal)),
    getSession: async (id, signal) => readSessionAnswer(await get('/checkout/session', id, signal)),
  };
}

type Answer = { readonly status: number; readonly text: string };

/** With the first key, and with the second when Clink answers 401: it has done nothing then, so asking again is safe. */
async function sendWithAny(
  keys: readonly string[],
  send: (apiKey: string) => Promise<Answer>,
): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  for (const key of keys.slice(0, 2)) {
    answer = await send(key);
    if (answer.status !== 401) return answer;
  }
  return answer;
}

function dataOf(request: Request, { status, text }: Answer): JsonObject {
  const envelope = readEnvelope(status >= 200 && status < 300, text);
  if (envelope.kind === 'data') return envelope.data;
  const code = envelope.kind === 'refused' ? envelope.code : null;
  throw new ClinkError({ ...request, reason: envelope.kind, status, code });
}
