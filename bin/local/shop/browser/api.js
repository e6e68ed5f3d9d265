/** Calls of the backend's API. Every failure is an {@link ApiError} with words for the shopper. */

/** @type {{ apiUrl: string, customerId: string, token: string }} */
export const session = JSON.parse(document.getElementById('session').textContent);

export class ApiError extends Error {
  /** @param {string} message @param {string} code @param {boolean} retryable the same call may succeed later */
  constructor(message, code, retryable) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

const WORDS = new Map([
  ['product_not_found', 'This product is not on sale any more.'],
  ['currency_not_supported', 'This product cannot be paid for in its currency.'],
  ['amount_not_supported', 'This amount cannot be charged.'],
  ['checkout_in_progress', 'Your payment page is still being opened. Please try again in a moment.'],
  ['payment_provider_unavailable', 'The payment provider did not answer. You were not charged. Please try again.'],
  ['payment_provider_refused', 'The payment provider refused this purchase. You were not charged.'],
  ['order_not_found', 'There is no such order for this customer. Is the right customer selected above?'],
]);
const RETRYABLE = new Set(['checkout_in_progress', 'payment_provider_unavailable']);

/** Opens the payment page of a new order or, with the key of an earlier call, of the same one again. */
export function createCheckout(productId, quantity, idempotencyKey) {
  return call('/api/checkout/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ productId, quantity }),
  });
}

export function getOrder(merchantOrderId) {
  return call(`/api/orders/${encodeURIComponent(merchantOrderId)}`, {});
}

async function call(path, init) {
  const headers = { ...init.headers, authorization: `Bearer ${session.token}` };
  let response;
  try {
    response = await fetch(session.apiUrl + path, { ...init, headers });
  } catch {
    throw new ApiError('The shop cannot reach its server. Please try again.', 'unreachable', true);
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const code = body.error?.code ?? String(response.status);
  throw new ApiError(wordsFor(response.status, code), code, RETRYABLE.has(code) || response.status >= 500);
}

function wordsFor(status, code) {
  if (status === 401) return 'You have been signed out. Please reload this page.';
  return WORDS.get(code) ?? 'Something went wrong on our side. Please try again.';
}
