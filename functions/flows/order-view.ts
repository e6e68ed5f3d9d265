import type { Display } from '../decisions/display.ts';
import type { FulfillmentStatus, PaymentStatus, SessionStatus } from '../decisions/order.ts';

/** What a shopper may see of an own order: our view of it, never an answer of Clink's. */
export interface OrderView {
  readonly id: string;
  readonly paymentStatus: PaymentStatus;
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly sessionStatus: SessionStatus;
  /** Major units as plain decimal text, as priced at checkout, in `currency`. */
  readonly amount: string;
  readonly currency: string;
  /** In the currency that was paid, which may be another one. */
  readonly refundedAmount: string;
  readonly product: { readonly id: string; readonly name: string; readonly quantity: number };
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly display: Display;
}
