import { Decimal } from 'decimal.js';

import {
  ATTEMPT_STATUS_OF_EVENT,
  type ClinkEvent,
  type OrderAnswer,
  REFUND_EVENT,
  SESSION_STATUS_OF_EVENT,
  type SessionAnswer,
} from '../decisions/event.ts';
import { isJsonObject, JsonNumber, type JsonObject, parseJson } from './json.ts';

/** The only file that knows Clink's field names and their variants; everything past it speaks of our own names. */

/** Identifiers longer than this are not identifiers, and would not fit an index either. */
const LONGEST_ID = 255;
const LONGEST_MESSAGE = 500;
/** Below this a time is in seconds: as milliseconds it would lie in 1973. */
const FIRST_MILLISECOND_TIME = 100_000_000_000;

/** The body was signed by Clink but is not an event that could be stored. */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';
}

/** Reads a webhook body. Throws `UnreadableEventError` when it is not JSON or has no usable id and type. */
export function readEvent(body: string): ClinkEvent {
  const envelope = parseEnvelope(body);
  const id = identifier(envelope.id);
  const type = identifier(envelope.type);
  if (id === null || type === null) throw new UnreadableEventError('event without a usable id or type');

  const head = { id, type, created: milliseconds(envelope.created) };
  const resource = resourceOf(envelope.data);
  const attemptStatus = ATTEMPT_STATUS_OF_EVENT.get(type);
  if (attemptStatus) {
    return {
      kind: 'order',
      ...head,
      attemptStatus,
      ...orderFields(resource),
      recurring: resource.type === 'recurring',
    };
  }
  const sessionStatus = SESSION_STATUS_OF_EVENT.get(type);
  if (sessionStatus) {
    const { status, ...session } = readSessionAnswer(resource);
    return { kind: 'session', ...head, sessionStatus, statedStatus: status, ...session };
  }
  if (type === REFUND_EVENT) return { kind: 'refund', ...head, ...refundFields(resource) };
  return { kind: 'other', ...head };
}

/** Reads the data of `GET /order/{id}`. */
export function readOrderAnswer(data: JsonObject): OrderAnswer {
  return { ...orderFields(data), status: label(data.status) };
}

/** Reads the data of `GET /checkout/session/{id}`, which has the shape of a session in an event. */
export function readSessionAnswer(data: JsonObject): SessionAnswer {
  const status = label(data.status);
  return {
    clinkSessionId: identifier(data.sessionId),
    merchantOrderId: identifier(data.merchantReferenceId),
    clinkOrderId: identifier(data.orderId),
    // Clink's guide says "complete" where its API says "completed".
    status: status === 'complete' ? 'completed' : status,
  };
}

/** What `POST /checkout/session` gives back; null when either part is missing, for then no shopper can pay. */
export function readCreatedSession(data: JsonObject): { clinkSessionId: string; checkoutUrl: string } | null {
  const clinkSessionId = identifier(data.sessionId);
  const checkoutUrl = typeof data.url === 'string' && URL.canParse(data.url) ? storable(data.url) : null;
  return clinkSessionId && checkoutUrl ? { clinkSessionId, checkoutUrl } : null;
}

export interface SessionRequest {
  readonly merchantOrderId: string;
  readonly customerId: string;
  /** Null to name the customer by reference only. */
  readonly customerEmail: string | null;
  readonly productName: string;
  /** Major units as plain decimal text. */
  readonly unitAmount: string;
  readonly quantity: number;
  readonly amount: string;
  readonly currency: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** The body of `POST /checkout/session`; amounts go out as JSON numbers with exactly the digits we computed. */
export function writeSessionRequest(request: SessionRequest): JsonObject {
  const { currency, quantity } = request;
  const unitAmount = new JsonNumber(request.unitAmount);
  return {
    ...(request.customerEmail === null ? {} : { customerEmail: request.customerEmail }),
    referenceCustomerId: request.customerId,
    originalAmount: new JsonNumber(request.amount),
    originalCurrency: currency,
    merchantReferenceId: request.merchantOrderId,
    uiMode: 'hostedPage',
    priceDataList: [{ name: request.productName, quantity, unitAmount, currency }],
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
  };
}

function parseEnvelope(body: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = parseJson(body.startsWith('\uFEFF') ? body.slice(1) : body);
  } catch {
    throw new UnreadableEventError('body is not JSON');
  }
  if (!isJsonObject(parsed)) throw new UnreadableEventError('body is not a JSON object');
  return parsed;
}

/** `data.object` when that is an object, else `data` itself: Clink has sent both shapes. */
function resourceOf(data: unknown): JsonObject {
  if (!isJsonObject(data)) return {};
  return isJsonObject(data.object) ? data.object : data;
}

function orderFields(data: JsonObject) {
  return {
    clinkOrderId: identifier(data.orderId),
    clinkSessionId: identifier(data.sessionId),
    merchantOrderId: identifier(data.merchantReferenceId),
    amountTotal: amountText(data.amountTotal),
    paymentCurrency: label(data.paymentCurrency),
    failureCode: message(data.failureCode),
    failureMessage: message(data.failureMessage),
  };
}

function refundFields(data: JsonObject) {
  return {
    refundId: identifier(data.refundId),
    clinkOrderId: identifier(data.orderId),
    amount: amountText(data.refundAmount),
    currency: label(data.refundCurrency),
  };
}

/** An id as stored text, or null for what Clink sends in place of none: absent, null, blanks, the text "null". */
function identifier(value: unknown): string | null {
  const text = value instanceof JsonNumber ? value.source : value;
  if (typeof text !== 'string' || text.length > LONGEST_ID) return null;
  const trimmed = text.trim();
  return trimmed === '' || trimmed.toLowerCase() === 'null' ? null : storable(trimmed);
}

function label(value: unknown): string | null {
  const text = message(value)?.trim() ?? '';
  return text === '' ? null : text;
}

function message(value: unknown): string | null {
  const text = value instanceof JsonNumber ? value.source : value;
  return typeof text === 'string' ? storable(text.slice(0, LONGEST_MESSAGE)) : null;
}

/** PostgreSQL text holds neither NUL nor half a surrogate pair; the raw body keeps them as they came. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** An amount's digits: a JSON number with its exponent written out (serializers write 1.0E7), or a string as it is. */
function amountText(value: unknown): string | null {
  if (typeof value === 'string') return storable(value);
  return value instanceof JsonNumber ? withoutExponent(value.source) : null;
}

function withoutExponent(source: string): string {
  return /[eE][+-]?\d{1,3}$/.test(source) ? new Decimal(source).toFixed() : source;
}

function milliseconds(value: unknown): number | null {
  if (value instanceof JsonNumber) return fromNumber(Number(value.source));
  if (typeof value !== 'string') return null;
  if (/^\d{1,16}$/.test(value)) return fromNumber(Number(value));
  // Without a zone the text would mean this machine's time.
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/.test(value) ? fromDate(Date.parse(value)) : null;
}

function fromNumber(time: number): number | null {
  if (!Number.isSafeInteger(time) || time < 0) return null;
  return time < FIRST_MILLISECOND_TIME ? time * 1000 : time;
}

function fromDate(time: number): number | null {
  return Number.isSafeInteger(time) && time >= 0 ? time : null;
}
