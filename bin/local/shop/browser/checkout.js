import { createCheckout, session } from './api.js';
import { rememberOrder } from './memory.js';

/** Keys of clicks that did not get an answer: the next click of the same button is the same purchase. */
const openKeys = new Map();

/** Buys one piece and goes to the payment page. Throws `ApiError`. */
export async function buy(productId) {
  const key = openKeys.get(productId) ?? crypto.randomUUID();
  openKeys.set(productId, key);
  try {
    await goToPayment(productId, key);
    openKeys.delete(productId);
  } catch (error) {
    if (!error.retryable) openKeys.delete(productId);
    throw error;
  }
}

/** Goes to the payment page of the order that was made, or is now made, under this key. Throws `ApiError`. */
export async function goToPayment(productId, key) {
  const { merchantOrderId, checkoutUrl } = await createCheckout(productId, 1, key);
  rememberOrder({ id: merchantOrderId, customerId: session.customerId, productId, key });
  location.assign(checkoutUrl);
}

/** Lets the button run the action once at a time, and tells what went wrong beside it. */
export function wireButton(button, trouble, action) {
  const label = button.textContent;
  const reset = () => {
    button.disabled = false;
    button.textContent = label;
  };
  // The browser may show this page again as it was when it was left.
  addEventListener('pageshow', reset);
  button.addEventListener('click', async () => {
    button.disabled = true;
    button.textContent = 'Opening the payment page…';
    trouble.hidden = true;
    try {
      await action();
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
      reset();
    }
  });
}
