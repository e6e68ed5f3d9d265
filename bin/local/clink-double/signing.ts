import { createHmac } from 'node:crypto';

/**
 * The headers that prove a webhook's origin: lowercase hex HMAC-SHA256 of `timestamp.body`, keyed with the whole
 * secret including `whsec_` as UTF-8. The timestamp is in Unix milliseconds.
 */
export function signatureHeaders(secret: string, timestampMs: number, body: string): Record<string, string> {
  const timestamp = String(timestampMs);
  return {
    'x-clink-timestamp': timestamp,
    'x-clink-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    'x-clink-signtype': 'SHA256',
  };
}
