import type { CheckoutRefusal } from '../flows/checkout-refused.ts';
import { HttpProblem } from './problem.ts';

const ANSWER_TO: Readonly<Record<CheckoutRefusal, readonly [status: number, message: string]>> = {
  product_not_found: [404, 'There is no such product on sale.'],
  currency_not_supported: [422, 'The product is priced in a currency that cannot be charged.'],
  amount_not_supported: [422, 'The total is outside what can be charged.'],
  idempotency_key_reused: [409, 'This idempotency key belongs to another checkout.'],
  checkout_in_progress: [409, 'A checkout with this idempotency key is being started. Try again with the same key.'],
  payment_provider_unavailable: [502, 'The payment provider gave no answer. Try again with the same idempotency key.'],
  payment_provider_refused: [502, 'The payment provider refused this checkout.'],
};

/** What the caller is told of a checkout that was refused. */
export function refusedCheckout(code: CheckoutRefusal): HttpProblem {
  const [status, message] = ANSWER_TO[code];
  return new HttpProblem(status, code, message, code === 'checkout_in_progress' ? { 'retry-after': '1' } : {});
}
