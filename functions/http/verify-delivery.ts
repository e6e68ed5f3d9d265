import type { APIGatewayProxyEventV2 } from 'aws-lambda';

import { describeError, log } from '../platform/log.ts';
import { count, type MetricName } from '../platform/metrics.ts';
import { checkSignature, type SignatureResult } from './webhook-signature.ts';

export interface DeliveryCheck {
  readonly signingSecrets: {
    read(): Promise<readonly string[]>;
    /** Past the cache: a secret that was just rotated in must work at once. */
    refresh(): Promise<readonly string[]>;
  };
  readonly replayWindowMs: number;
  readonly now: () => number;
}

interface Delivery {
  readonly bytes: Uint8Array;
  /** With names in lower case. */
  readonly headers: APIGatewayProxyEventV2['headers'];
}

const METRIC_OF: Readonly<Record<Exclude<SignatureResult, 'ok'>, MetricName>> = {
  missing_header: 'WebhookHeadersMissing',
  wrong_sign_type: 'WebhookHeadersMalformed',
  bad_timestamp: 'WebhookHeadersMalformed',
  malformed_signature: 'WebhookHeadersMalformed',
  mismatch: 'WebhookSignatureMismatch',
  stale_but_authentic: 'WebhookStaleButAuthentic',
};

/** `forged` only after a completed check; `closed` while no signing secret can be had, for then nobody can tell. */
export async function verifyDelivery(delivery: Delivery, check: DeliveryCheck): Promise<'ok' | 'forged' | 'closed'> {
  let result: SignatureResult;
  try {
    result = checkWith(await check.signingSecrets.read(), delivery, check);
    if (result === 'mismatch') result = checkWith(await check.signingSecrets.refresh(), delivery, check);
  } catch (error) {
    log.error('webhook_secret_unavailable', { ...describeError(error) });
    count('WebhookSecretUnavailable');
    return 'closed';
  }
  if (result === 'ok') return 'ok';
  log.warn('webhook_rejected', { reason: result, ageMs: ageOf(delivery, check.now()) });
  count(METRIC_OF[result]);
  return 'forged';
}

class NoSigningSecretError extends Error {
  override readonly name = 'NoSigningSecretError';
}

function checkWith(secrets: readonly string[], { bytes, headers }: Delivery, check: DeliveryCheck): SignatureResult {
  if (secrets.every((secret) => secret.trim() === '')) throw new NoSigningSecretError();
  return checkSignature(
    {
      bytes,
      signType: headers['x-clink-signtype'],
      timestamp: headers['x-clink-timestamp'],
      signature: headers['x-clink-signature'],
    },
    { secrets, now: check.now(), windowMs: check.replayWindowMs },
  );
}

/** How long ago the delivery claims to have been signed; null when it does not say. */
function ageOf({ headers }: Delivery, now: number): number | null {
  const age = now - Number(headers['x-clink-timestamp']);
  return Number.isSafeInteger(age) ? age : null;
}
