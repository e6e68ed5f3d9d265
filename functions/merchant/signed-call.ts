import { Webhook } from 'standardwebhooks';

/** The merchant's endpoint did not accept a call. Nothing of its answer but the status is kept. */
export class MerchantCallError extends Error {
  override readonly name = 'MerchantCallError';
  /** HTTP status; null when no answer came in time. */
  readonly status: number | null;
  /** The endpoint said that this call can never succeed. */
  readonly permanent: boolean;

  constructor(path: string, status: number | null) {
    super(`merchant endpoint POST ${path} failed: ${status === null ? 'no answer' : `HTTP ${status}`}`);
    this.status = status;
    this.permanent = status !== null && PERMANENT.has(status);
  }
}

/**
 * Gone and Unprocessable Content are said on purpose. Other 4xx also come from a proxy or a deployment in progress, and
 * giving up on those would lose a delivery that was paid for.
 */
const PERMANENT: ReadonlySet<number> = new Set([410, 422]);

export interface CallOptions {
  /** The same for every try of one piece of work; the endpoint must do such work once. */
  readonly idempotencyKey: string;
  /** Ends the call when the lease is lost. */
  readonly signal: AbortSignal;
}

/** Throws `MerchantCallError`, or the signal's own reason. */
export type SignedCall = (path: string, type: string, data: object, options: CallOptions) => Promise<void>;

export interface SignedCallSettings {
  readonly merchantUrl: string;
  /** Standard Webhooks secrets (`whsec_` and base64). The call is signed with each, so that a rotation can overlap. */
  readonly signingSecrets: () => Promise<readonly string[]>;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

/** POSTs `{ type, data }` to the merchant's own endpoint, signed by the Standard Webhooks convention. */
export function signedCall(settings: SignedCallSettings): SignedCall {
  const { signingSecrets, fetch = globalThis.fetch, now = Date.now, timeoutMs = 10_000 } = settings;
  const merchantUrl = checkedUrl(settings.merchantUrl);

  return async (path, type, data, { idempotencyKey, signal }) => {
    signal.throwIfAborted();
    const body = JSON.stringify({ type, data });
    const id = headerSafe(idempotencyKey);
    const headers = signatureHeaders(await signingSecrets(), id, now(), body);
    const answer = await fetch(merchantUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': id, ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch(() => null);
    // The status is the whole answer: what becomes of its body does not matter.
    answer?.body?.cancel().catch(() => undefined);
    signal.throwIfAborted();
    if (!answer?.ok) throw new MerchantCallError(path, answer?.status ?? null);
  };
}

function signatureHeaders(secrets: readonly string[], id: string, now: number, body: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures(secrets, id, now, body).join(' '),
  };
}

/** By the current secret, and by each previous one that can sign: one that never could must not stop its successor. */
function signatures([current = '', ...previous]: readonly string[], id: string, now: number, body: string): string[] {
  const sign = (key: Webhook): string => key.sign(id, new Date(now), body);
  return [sign(new Webhook(current)), ...previous.flatMap((secret) => keyOf(secret) ?? []).map(sign)];
}

function keyOf(secret: string): Webhook | null {
  try {
    return new Webhook(secret);
  } catch {
    return null;
  }
}

/** A key may carry ids that Clink chose; a header holds visible ASCII only. */
function headerSafe(key: string): string {
  return key.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Calls name customers and their orders, so they leave this machine over TLS only. */
function checkedUrl(text: string): string {
  const url = URL.parse(text);
  const isPrivate = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (!isPrivate) throw new Error('the merchant URL must be https (or http on this machine)');
  return text.replace(/\/+$/, '');
}
