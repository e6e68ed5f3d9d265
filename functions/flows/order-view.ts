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
  /** In `currency`, unless `refundedCurrency` names another. */
  readonly refundedAmount: string;
  /** Only there when the shopper paid, and so is refunded, in another currency than the order was priced in. */
  readonly refundedCurrency?: string;
  readonly product: { readonly id: string; readonly name: string; readonly quantity: number };
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly display: Display;
}
