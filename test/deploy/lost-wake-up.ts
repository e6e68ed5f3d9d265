import type { Sql } from '../../functions/database/connection.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { clinkWebhookHandler } from '../../functions/http/clink-webhook.ts';
import { clinkSignature, lambdaContext, payload } from '../http/payload.ts';

/** Takes a webhook as the deployed function does, in an instance that dies between its commit and its wake-up. */
export async function receiveAndDie(sql: Sql, body: string): Promise<void> {
  const secret = 'whsec_of-this-instance-alone';
  const handler = clinkWebhookHandler({
    signingSecrets: { read: async () => [secret], refresh: async () => [secret] },
    receive: (event, signed) => receiveEvent({ sql, wakeUp: async () => undefined }, event, signed),
    replayWindowMs: 300_000,
    now: Date.now,
  });
  const timestamp = String(Date.now());
  const headers = {
    'x-clink-signtype': 'SHA256',
    'x-clink-timestamp': timestamp,
    'x-clink-signature': clinkSignature(secret, timestamp, body),
  };
  const { statusCode } = await handler(payload({ body, headers }), lambdaContext);
  if (statusCode !== 200) throw new Error(`the webhook was answered with ${statusCode}`);
}
