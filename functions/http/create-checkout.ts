import { CheckoutRefusedError } from '../flows/checkout-refused.ts';
import type { CheckoutCommand } from '../flows/start-checkout.ts';
import { callerOf } from './caller.ts';
import { readCheckoutBody, readIdempotencyKey } from './checkout-request.ts';
import { jsonBodyRoute } from './json-route.ts';
import { refusedCheckout } from './refused-checkout.ts';

export interface CreateCheckoutDeps {
  /** Throws `CheckoutRefusedError`. */
  readonly startCheckout: (
    command: CheckoutCommand,
  ) => Promise<{ readonly merchantOrderId: string; readonly checkoutUrl: string }>;
}

/** `POST /api/checkout/create`: says what is bought and how often; who buys and what it costs is known here. */
export function createCheckoutHandler({ startCheckout }: CreateCheckoutDeps) {
  return jsonBodyRoute(async (request, body) => {
    const { customerId, email } = callerOf(request);
    const { productId, quantity } = readCheckoutBody(body);
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const command = { customerId, customerEmail: email, productId, quantity, idempotencyKey };
    const { merchantOrderId, checkoutUrl } = await startCheckout(command).catch(throwProblem);
    return { merchantOrderId, checkoutUrl };
  });
}

function throwProblem(error: unknown): never {
  throw error instanceof CheckoutRefusedError ? refusedCheckout(error.code) : error;
}
