import { getOrder } from './api.js';
import { buy, goToPayment, wireButton } from './checkout.js';
import { findOrder } from './memory.js';
import { fulfillmentWords, money, wordsFor } from './wording.js';

const at = (id) => document.getElementById(id);
const { order: orderId, cameFrom } = at('order').dataset;
const remembered = findOrder(orderId);

const SOON_MS = 1_000;
const LATER_MS = 4_000;
/** Something is about to happen: the shopper is waiting for it. */
const isUnsettled = ({ display, fulfillmentStatus }) =>
  display === 'confirming' || display === 'action_required' || fulfillmentStatus === 'pending';

function show(order) {
  const { headline, text } = wordsFor(order.display, cameFrom);
  at('display').dataset.display = order.display;
  setText('headline', headline);
  setText('explanation', text);
  setText(
    'product',
    order.product.quantity === 1 ? order.product.name : `${order.product.quantity} × ${order.product.name}`,
  );
  setText('amount', money(order.amount, order.currency));
  setText('refunded', money(order.refundedAmount, order.refundedCurrency ?? order.currency));
  setText('fulfillment', fulfillmentWords(order.fulfillmentStatus));
  at('fulfillment').dataset.status = order.fulfillmentStatus;
  at('facts').hidden = false;
  at('refunded-row').hidden = !order.display.endsWith('refunded');
  at('fulfillment-row').hidden = order.fulfillmentStatus === 'none';
  at('try-again').hidden = !remembered || !mayPay(order);
  at('buy-again').hidden = !remembered || order.display !== 'expired';
}

/** The payment page is open and waits for the shopper; not while a payment may be on its way after it. */
function mayPay({ display, sessionStatus }) {
  if (sessionStatus !== 'open') return false;
  return (
    display === 'failed_try_again' ||
    display === 'action_required' ||
    (display === 'confirming' && cameFrom === 'cancel')
  );
}

/** Only real changes, so that a screen reader is not told the same thing again. */
function setText(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text;
}

async function follow() {
  let pause = SOON_MS;
  try {
    const order = await getOrder(orderId);
    show(order);
    at('trouble').hidden = true;
    if (!isUnsettled(order)) pause = LATER_MS;
  } catch (error) {
    setText('trouble', error.message);
    at('trouble').hidden = false;
    if (!error.retryable) {
      setText('headline', 'This order cannot be shown');
      setText('explanation', '');
      return;
    }
  }
  setTimeout(follow, pause);
}

wireButton(at('try-again'), at('trouble'), () => goToPayment(remembered.productId, remembered.key));
wireButton(at('buy-again'), at('trouble'), () => buy(remembered.productId));
void follow();
