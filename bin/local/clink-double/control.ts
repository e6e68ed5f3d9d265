import type { JsonObject } from '../../../functions/clink/json.ts';
import { flag, oneOf, optionalAmount, optionalText, readControlBody, sendMode, wholeNumber } from './control-body.ts';
import { releaseHeld } from './deliveries.ts';
import { type Call, json, type Reply, type Route } from './http.ts';
import { DEFAULT_DELIVERY, type DeliveryKnobs, type ScriptedAnswer } from './knobs.ts';
import { ledgerOf } from './ledger.ts';
import { type Attempt, expireSession, finishVerification, pay } from './payments.ts';
import { type RefundRequest, refund, setOrder } from './refunds.ts';
import { demand } from './refusal.ts';
import { type Rotation, rotateKey } from './rotation.ts';
import type { World } from './world.ts';

/**
 * The control API: how scripts and tests move the double. JSON in and out, no authentication; a bad call is answered
 * with 400 (404 for an unknown id) and `{ error: sentence }`. Amounts are JSON numbers or text. `webhooks: "hold"`
 * leaves the action's deliveries in the queue until they are released.
 *
 * - `POST /control/sessions/{id}/pay {outcome, amountTotal?, paymentCurrency?, webhooks?}` → `{orderId}`
 * - `POST /control/sessions/{id}/verify {outcome: "success"|"failed", webhooks?}` → `{orderId}`: ends a verification
 * - `POST /control/sessions/{id}/expire {webhooks?}` → `{}`
 * - `POST /control/orders/{id}/refund {amount, currency?, webhooks?, orderStatus?}` → `{refundId}`
 * - `PUT /control/sessions/{id}`, `PUT /control/orders/{id}`: any fields, which the API answers from then on
 * - `PUT /control/answers {method, path, times?, delayMs?, status?, body?, lost?}`: appended; used first in, first out;
 *   `path` is below `/api` and may end in `*`. With `status` or `body` nothing is done; else the real thing happens,
 *   and is answered late (`delayMs`) or never (`lost`). `DELETE /control/answers` clears them.
 * - `PUT /control/delivery {delayMs?, duplicates?, reorder?, drop?, equalTimestamps?, refundStatusDelayMs?}`: replaces
 *   all of them; what is left out goes back to its default
 * - `POST /control/deliveries/release` → `{released}`
 * - `POST /control/rotate/signing-secret`, `POST /control/rotate/api-key` → `{}`
 * - `GET /control/state`: everything the double knows
 */
export function controlRoutes(world: World, rotation: Rotation | undefined): Route[] {
  return [
    ['POST', '/control/sessions/:id/pay', (call, id) => json({ orderId: pay(world, id, readAttempt(call)) })],
    ['POST', '/control/sessions/:id/verify', (call, id) => json({ orderId: verify(world, id, call) })],
    ['POST', '/control/sessions/:id/expire', (call, id) => expire(world, id, call)],
    ['POST', '/control/orders/:id/refund', (call, id) => json({ refundId: refund(world, id, readRefund(call)) })],
    ['PUT', '/control/sessions/:id', (call, id) => json(setSession(world, id, readControlBody(call)))],
    ['PUT', '/control/orders/:id', (call, id) => json(setOrder(world, id, { ...readControlBody(call), orderId: id }))],
    ['PUT', '/control/answers', (call) => json({ answers: world.knobs.answers.push(readAnswer(call)) })],
    ['DELETE', '/control/answers', () => json({ answers: world.knobs.clearAnswers() })],
    ['PUT', '/control/delivery', (call) => json(world.knobs.setDelivery(readDelivery(call)))],
    ['POST', '/control/deliveries/release', () => json({ released: releaseHeld(world) })],
    ['POST', '/control/rotate/:id', (_, key) => rotateKey(rotation, key).then(() => json({}))],
    ['GET', '/control/state', () => json(ledgerOf(world))],
  ];
}

function readAttempt(call: Call): Attempt {
  const body = readControlBody(call, ['outcome', 'amountTotal', 'paymentCurrency', 'webhooks']);
  const amountTotal = optionalAmount(body, 'amountTotal');
  const paymentCurrency = optionalText(body, 'paymentCurrency');
  return {
    outcome: oneOf(body, 'outcome', ['success', 'failed', 'requires_action']),
    ...(amountTotal !== undefined && { amountTotal }),
    ...(paymentCurrency !== undefined && { paymentCurrency }),
    webhooks: sendMode(body),
  };
}

function verify(world: World, sessionId: string, call: Call): string {
  const body = readControlBody(call, ['outcome', 'webhooks']);
  return finishVerification(world, sessionId, oneOf(body, 'outcome', ['success', 'failed']), sendMode(body));
}

function expire(world: World, sessionId: string, call: Call): Reply {
  expireSession(world, sessionId, sendMode(readControlBody(call, ['webhooks'])));
  return json({});
}

function readRefund(call: Call): RefundRequest {
  const body = readControlBody(call, ['amount', 'currency', 'webhooks', 'orderStatus']);
  const amount = optionalAmount(body, 'amount');
  const currency = optionalText(body, 'currency');
  const orderStatus = optionalText(body, 'orderStatus');
  demand(amount !== undefined, 'amount is missing.');
  return {
    amount,
    ...(currency !== undefined && { currency }),
    ...(orderStatus !== undefined && { orderStatus }),
    webhooks: sendMode(body),
  };
}

function setSession(world: World, sessionId: string, fields: JsonObject): JsonObject {
  return world.sessions.put(sessionId, { ...fields, sessionId });
}

function readAnswer(call: Call): ScriptedAnswer {
  const body = readControlBody(call, ['method', 'path', 'times', 'delayMs', 'status', 'body', 'lost']);
  const path = optionalText(body, 'path');
  const lost = flag(body, 'lost');
  const scripted = 'status' in body || 'body' in body;
  demand(path !== undefined && /^[/*]/.test(path), 'path must be an address below /api that begins with /.');
  demand(!(lost && scripted), 'A lost answer has the real effect; it has no status and no body.');
  return {
    method: oneOf(body, 'method', ['GET', 'POST', '*']),
    path,
    times: wholeNumber(body, 'times', 1, 1),
    delayMs: wholeNumber(body, 'delayMs', 0),
    lost,
    ...(scripted && { reply: scriptedReply(body) }),
  };
}

function scriptedReply(body: JsonObject): Reply {
  const status = wholeNumber(body, 'status', 200, 200);
  demand(status < 600, 'status must be an HTTP status below 600.');
  const content = body.body ?? { code: status, msg: 'scripted', data: null };
  const isText = typeof content === 'string';
  const type = isText ? 'text/plain' : 'application/json';
  return {
    status,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body: isText ? content : JSON.stringify(content),
  };
}

function readDelivery(call: Call): DeliveryKnobs {
  const body = readControlBody(call, Object.keys(DEFAULT_DELIVERY));
  return {
    delayMs: wholeNumber(body, 'delayMs', DEFAULT_DELIVERY.delayMs),
    duplicates: wholeNumber(body, 'duplicates', DEFAULT_DELIVERY.duplicates),
    reorder: flag(body, 'reorder'),
    drop: typeof body.drop === 'boolean' ? body.drop || 0 : wholeNumber(body, 'drop', 0),
    equalTimestamps: flag(body, 'equalTimestamps'),
    refundStatusDelayMs: wholeNumber(body, 'refundStatusDelayMs', DEFAULT_DELIVERY.refundStatusDelayMs),
  };
}
