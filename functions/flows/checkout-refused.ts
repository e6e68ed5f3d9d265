export type CheckoutRefusal =
  | 'product_not_found'
  | 'currency_not_supported'
  | 'amount_not_supported'
  | 'idempotency_key_reused'
  | 'checkout_in_progress'
  | 'payment_provider_unavailable'
  | 'payment_provider_refused';

/** A checkout that ends without a URL to pay at; `code` is what the shop's page is told. */
export class CheckoutRefusedError extends Error {
  override readonly name = 'CheckoutRefusedError';
  readonly code: CheckoutRefusal;

  constructor(code: CheckoutRefusal) {
    super(`checkout refused: ${code}`);
    this.code = code;
  }
}
