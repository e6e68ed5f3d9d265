import { isJsonObject, JsonNumber, type JsonObject, parseJson } from '../../functions/clink/json.ts';

/** What Clink and the merchant themselves wrote down: kept apart from the backend, which the run holds against it. */
export interface Ledger {
  readonly sessions: readonly ClinkSession[];
  readonly orders: readonly ClinkOrder[];
  readonly refunds: readonly ClinkRefund[];
  readonly events: readonly ClinkNews[];
  /** Every call that the merchant received, oldest first. */
  readonly calls: readonly ReceivedCall[];
}

export interface ClinkSession {
  readonly clinkSessionId: string;
  readonly merchantOrderId: string;
  /** Its latest attempt. */
  readonly clinkOrderId: string | null;
  /** In major units, as plain decimal text. */
  readonly price: string;
}

export interface ClinkOrder {
  readonly clinkOrderId: string;
  readonly clinkSessionId: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
}

export interface ClinkRefund {
  readonly refundId: string;
  readonly clinkOrderId: string;
  readonly amount: string;
  readonly currency: string;
}

export interface ClinkNews {
  readonly id: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Null unless the event is about a session itself. */
  readonly clinkSessionId: string | null;
}

export interface ReceivedCall {
  readonly task: string;
  readonly idempotencyKey: string;
  /** Whether it was answered with 2xx; the caller may have missed the answer. */
  readonly accepted: boolean;
  readonly merchantOrderId: string | null;
  /** What was told: of a delivery the price, of a refund policy the amount given back so far. */
  readonly amount: string | null;
  readonly currency: string | null;
}

/** Reads `GET /control/state` of the Clink double and `GET /control/calls` of the demo merchant. */
export function readLedger(clinkState: string, merchantCalls: string): Ledger {
  const state = parseJson(clinkState) as JsonObject;
  return {
    sessions: rowsOf(state.sessions).map((row) => ({
      clinkSessionId: String(row.sessionId),
      merchantOrderId: String(row.merchantReferenceId),
      clinkOrderId: textOrNull(row.orderId),
      price: plain(row.amountSubtotal),
    })),
    orders: rowsOf(state.orders).map((row) => ({
      clinkOrderId: String(row.orderId),
      clinkSessionId: String(row.sessionId),
      status: String(row.status),
      amount: plain(row.amountTotal),
      currency: String(row.paymentCurrency),
    })),
    refunds: rowsOf(state.refunds).map((row) => ({
      refundId: String(row.refundId),
      clinkOrderId: String(row.orderId),
      amount: plain(row.refundAmount),
      currency: String(row.refundCurrency),
    })),
    events: rowsOf(state.events).map(readNews),
    calls: rowsOf(parseJson(merchantCalls)).map(readCall),
  };
}

function readNews({ id, type, created, data }: JsonObject): ClinkNews {
  const { object } = data as { object: JsonObject };
  const isOfSession = String(type).startsWith('session.');
  return {
    id: String(id),
    type: String(type),
    created: Number(plain(created)),
    clinkSessionId: isOfSession ? String(object.sessionId) : null,
  };
}

function readCall({ task, idempotencyKey, status, body }: JsonObject): ReceivedCall {
  const { data } = body as { data: JsonObject };
  const isRefund = task === 'apply_refund_policy';
  const answer = Number(plain(status));
  return {
    task: String(task),
    idempotencyKey: String(idempotencyKey),
    accepted: answer >= 200 && answer < 300,
    merchantOrderId: textOrNull(data.merchantOrderId),
    amount: textOrNull(isRefund ? data.refundedAmount : data.amount),
    currency: textOrNull(isRefund ? data.paymentCurrency : data.currency),
  };
}

function rowsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function plain(value: unknown): string {
  return value instanceof JsonNumber ? value.source : String(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
