import { createHash } from 'node:crypto';
import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

import { readEvent, UnreadableEventError } from '../clink/wire.ts';
import type { ClinkEvent } from '../decisions/event.ts';
import type { Received, SignedBody } from '../flows/receive-event.ts';
import { describeError, log, loggable } from '../platform/log.ts';
import { count } from '../platform/metrics.ts';
import { type DeliveryCheck, verifyDelivery } from './verify-delivery.ts';
import { ANSWERS } from './webhook-answer.ts';

export interface ClinkWebhookDeps extends DeliveryCheck {
  /** Stores and applies the event. Resolves only after the commit. */
  readonly receive: (event: ClinkEvent, body: SignedBody) => Promise<Received>;
  readonly maxBodyBytes?: number;
}

/**
 * `POST /api/webhooks/clink` for API Gateway's payload 2.0. The signature covers the bytes that Clink sent, so nothing
 * parses or rewrites the body before it is verified. 200 promises that the event is committed.
 */
export function clinkWebhookHandler({ receive, maxBodyBytes = 262_144, ...check }: ClinkWebhookDeps) {
  async function answer(request: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
    const bytes = Buffer.from(request.body ?? '', request.isBase64Encoded ? 'base64' : 'utf8');
    if (bytes.length > maxBodyBytes) return refuseSize(bytes.length);

    const verdict = await verifyDelivery({ bytes, headers: request.headers }, check);
    if (verdict !== 'ok') return verdict === 'closed' ? ANSWERS.closed : ANSWERS.forged;

    const delivery = readDelivery(bytes);
    if (delivery === null) return refuseContent(bytes.length);
    const outcome = await receive(delivery.event, { text: delivery.text, hash: sha256(bytes) });
    report(delivery.event, outcome);
    return ANSWERS.accepted;
  }

  return middy(answer).use(httpHeaderNormalizer()).onError(askForRetry);
}

/** Null when the bytes are not UTF-8, or not an event. */
function readDelivery(bytes: Uint8Array): { event: ClinkEvent; text: string } | null {
  const text = utf8(bytes);
  if (text === null) return null;
  try {
    return { event: readEvent(text), text };
  } catch (error) {
    if (error instanceof UnreadableEventError) return null;
    throw error;
  }
}

/** Strict, because a replaced byte would be stored as something that Clink did not sign. A byte order mark stays. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refuseSize(size: number): APIGatewayProxyStructuredResultV2 {
  log.warn('webhook_too_large', { size });
  count('WebhookTooLarge');
  return ANSWERS.tooLarge;
}

function refuseContent(size: number): APIGatewayProxyStructuredResultV2 {
  log.error('webhook_unreadable', { size });
  count('WebhookUnreadable');
  return ANSWERS.unreadable;
}

function report({ id, type }: ClinkEvent, outcome: Received): void {
  log.info('webhook_received', { eventId: loggable(id), eventType: loggable(type), outcome });
  if (outcome === 'duplicate_with_other_body') count('WebhookDuplicateOtherBody');
}

function askForRetry(request: { error: unknown; response: unknown }): void {
  log.error('webhook_not_stored', { ...describeError(request.error) });
  count('WebhookNotStored');
  request.response = ANSWERS.failed;
}
