import { createHmac, timingSafeEqual } from 'node:crypto';

export type SignatureResult =
  | 'ok'
  | 'missing_header'
  | 'wrong_sign_type'
  | 'bad_timestamp'
  | 'malformed_signature'
  | 'stale_but_authentic'
  | 'mismatch';

export interface SignedDelivery {
  /** The body as it came over the wire. */
  readonly bytes: Uint8Array;
  readonly signType: string | undefined;
  /** Milliseconds since 1970, digits only. */
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

export interface SignatureRule {
  /** Every signing secret that is accepted now; blank ones never match. */
  readonly secrets: readonly string[];
  readonly now: number;
  /** How far the timestamp may lie from `now`, before or after it; the bound itself is inside. */
  readonly windowMs: number;
}

/**
 * Checks Clink's webhook signature: HMAC-SHA256, keyed with the whole secret, over `timestamp.bytes`. A delivery outside
 * the window is `stale_but_authentic` only when its signature is right, so that retries which Clink signed long ago can be
 * told from forgeries.
 */
export function checkSignature(delivery: SignedDelivery, { secrets, now, windowMs }: SignatureRule): SignatureResult {
  const { bytes, signType, timestamp, signature } = delivery;
  if (!signType || !timestamp || !signature) return 'missing_header';
  if (signType !== 'SHA256') return 'wrong_sign_type';
  if (!/^\d{1,15}$/.test(timestamp)) return 'bad_timestamp';
  if (!/^[0-9a-f]{64}$/i.test(signature)) return 'malformed_signature';

  const given = Buffer.from(signature, 'hex');
  if (!matchesAny(secrets, timestamp, bytes, given)) return 'mismatch';
  return Math.abs(now - Number(timestamp)) <= windowMs ? 'ok' : 'stale_but_authentic';
}

/** Compares with every secret in constant time; how long it takes does not tell which one matched. */
function matchesAny(secrets: readonly string[], timestamp: string, bytes: Uint8Array, given: Uint8Array): boolean {
  const matches = secrets
    .filter((secret) => secret.trim() !== '')
    .map((secret) => timingSafeEqual(given, hmac(secret, timestamp, bytes)));
  return matches.includes(true);
}

function hmac(secret: string, timestamp: string, bytes: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest();
}
