import { isJsonObject, JsonNumber, type JsonObject } from '../../../functions/clink/json.ts';
import { textOf } from './fields.ts';
import { type Html, html, page } from './html.ts';
import type { Reply } from './http.ts';
import { decimalOf, displayAmount } from './money.ts';

/** The merchant's `successUrl`, its own parameters untouched, with the session id as one more. */
export function successAddress(session: JsonObject): string | undefined {
  const url = URL.parse(textOf(session, 'successUrl') ?? '');
  if (url === null) return undefined;
  url.search += `${url.search === '' ? '?' : '&'}session_id=${encodeURIComponent(String(session.sessionId))}`;
  return url.href;
}

/** The page of an open session; `declined` tells that the latest attempt failed. */
export function paymentPage(session: JsonObject, declined: boolean): Reply {
  return hosted(
    'Pay',
    session,
    html`${declined && html`<p class="notice bad" role="alert">The payment was declined. You can try again.</p>`}
<form method="post">
<button class="primary" id="pay" name="action" value="pay">Pay ${amountOf(session)}</button>
<fieldset><legend>Or try how a payment goes wrong</legend>
<button id="decline" name="action" value="decline">Decline card</button>
<button id="verify" name="action" value="verify">Extra verification required</button>
</fieldset>
</form>`,
  );
}

/** The page of an attempt that waits for extra verification. */
export function verificationPage(session: JsonObject): Reply {
  return hosted(
    'Verify your payment',
    session,
    html`<p class="notice" role="status">Your bank asks you to confirm this payment.</p>
<form method="post">
<button class="primary" id="verify-complete" name="action" value="verify-complete">Complete verification</button>
<button id="verify-fail" name="action" value="verify-fail">Fail verification</button>
</form>`,
  );
}

/** The page of a session that takes no more payments. */
export function closedPage(session: JsonObject): Reply {
  const completed = session.status === 'completed';
  const address = completed ? successAddress(session) : textOf(session, 'cancelUrl');
  const title = completed ? 'This payment is complete' : 'This payment page has expired';
  return page(
    title,
    html`<body class="checkout"><main class="card">
<h1>${title}</h1>
<p>${completed ? 'There is nothing left to pay here.' : 'No payment can be made here any more.'}</p>
${address !== undefined && html`<a id="return" href="${address}">Return to the shop</a>`}
</main></body>`,
  );
}

function hosted(title: string, session: JsonObject, choices: Html): Reply {
  const cancelUrl = textOf(session, 'cancelUrl');
  return page(
    title,
    html`<body class="checkout"><main class="card">
<p class="brand">Clink double <span class="badge">no real money</span></p>
<h1>${title}</h1>
<p class="amount">${amountOf(session)}</p>
${lineItems(session)}
${choices}
${cancelUrl !== undefined && html`<a id="abandon" href="${cancelUrl}">Abandon and return to the shop</a>`}
</main></body>`,
  );
}

function lineItems(session: JsonObject): Html | undefined {
  const list: unknown = session.priceDataList;
  const items = Array.isArray(list) ? list.filter(isJsonObject) : [];
  if (items.length === 0) return undefined;
  return html`<table class="items"><caption>Your order</caption>
<thead><tr><th scope="col">Item</th><th scope="col">Quantity</th><th scope="col">Price</th></tr></thead>
<tbody>${items.map((item) => lineItem(item, session.originalCurrency))}</tbody></table>`;
}

function lineItem(item: JsonObject, currency: unknown): Html {
  const quantity = item.quantity instanceof JsonNumber ? item.quantity.source : '1';
  const total = decimalOf(item.unitAmount)?.times(quantity).toFixed();
  return html`<tr><td>${String(item.name)}</td><td>${quantity}</td><td>${displayAmount(total, currency)}</td></tr>`;
}

function amountOf(session: JsonObject): string {
  return displayAmount(session.amountSubtotal, session.originalCurrency);
}
