import type { SignedCall } from './signed-call.ts';

/** The order that was paid for. The amount is what was priced at checkout, in major units as plain decimal text. */
export interface PaidOrder {
  readonly merchantOrderId: string;
  readonly clinkOrderId: string;
  readonly customerId: string;
  /** As it was sold: later changes of the catalog are not in it. */
  readonly product: OrderedProduct;
  readonly amount: string;
  readonly currency: string;
}

export interface OrderedProduct {
  readonly id: string;
  readonly name: string;
  readonly quantity: number;
  readonly [field: string]: unknown;
}

export interface FulfillmentOptions {
  /** The merchant order's id: an order is delivered once, whatever its payment attempts and retries. */
  readonly idempotencyKey: string;
  /** The event or query that proved the payment. */
  readonly eventId: string;
  readonly signal: AbortSignal;
}

export interface Fulfillment {
  /** Delivers. Must give the same result when called again with the same key; throws to be called again. */
  fulfill(order: PaidOrder, options: FulfillmentOptions): Promise<void>;
}

/** Delivery by the merchant's own endpoint, `POST /fulfillment`. */
export function fulfillmentByCall(call: SignedCall): Fulfillment {
  return {
    fulfill: (order, { eventId, ...options }) =>
      call('/fulfillment', 'fulfillment.requested', { ...order, eventId }, options),
  };
}
