/** What the shop says about an order. Never more than the API knows: silence is not a failure. */

const DISPLAYS = {
  confirming: {
    headline: 'Confirming your payment',
    text: 'The payment provider has not told us the result yet. This page follows by itself; please do not pay twice.',
  },
  action_required: {
    headline: 'Your bank wants you to confirm',
    text: 'Please finish the verification on the payment page. Nothing is paid before that.',
  },
  failed_try_again: {
    headline: 'The payment did not go through',
    text: 'You were not charged. You can try again, with the same or another way to pay.',
  },
  paid: { headline: 'Paid. Thank you!', text: 'Your payment is confirmed.' },
  expired: {
    headline: 'The payment page has expired',
    text: 'Nothing was paid, and this order is closed. You can order again.',
  },
  refunded: { headline: 'Refunded', text: 'Your payment was given back in full.' },
  partially_refunded: { headline: 'Partly refunded', text: 'A part of your payment was given back.' },
};

/** Of an order that was left unpaid, as far as is known. */
const LEFT = {
  headline: 'No payment has arrived',
  text: 'You can go on where you stopped. If you did pay, this page will show it by itself.',
};

const FULFILLMENTS = {
  none: '',
  pending: 'Being prepared',
  fulfilled: 'Delivered',
  failed: 'Delayed: the delivery ran into a problem, and the shop has been told. There is nothing for you to do.',
};

export function wordsFor(display, cameFrom) {
  return cameFrom === 'cancel' && display === 'confirming' ? LEFT : DISPLAYS[display];
}

export function fulfillmentWords(status) {
  return FULFILLMENTS[status];
}

/** Money that came as exact decimal text; it stays text all the way. */
export function money(amount, currency) {
  const decimals = { JPY: 0, KRW: 0, IDR: 0 }[currency];
  const format = { style: 'currency', currency, currencyDisplay: 'code' };
  const digits = decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat('en', { ...format, ...digits }).format(amount);
}
