import { html } from '../clink-double/html.ts';
import type { Call, Reply } from '../clink-double/http.ts';
import { shopPage } from './page.ts';
import type { ShopContext } from './shop-context.ts';

/**
 * Where Clink sends the shopper back to, both after paying and after leaving the payment page. The address proves nothing,
 * so both show what the API says about the order, and until it says anything that is "confirming".
 */
export function orderPage(context: ShopContext, call: Call, cameFrom: 'payment' | 'cancel'): Promise<Reply> {
  const merchantOrderId = call.query.get('orderId') ?? '';
  const title = cameFrom === 'payment' ? 'Your order' : 'You left the payment page';
  return shopPage(context, call, {
    title,
    script: 'order.js',
    main: html`<h1>${title}</h1>
<section class="card status" id="order" data-order="${merchantOrderId}" data-came-from="${cameFrom}">
<div id="display" data-display="confirming" role="status" aria-live="polite">
<h2 id="headline">Looking at your order…</h2>
<p id="explanation">One moment.</p>
</div>
<noscript><p class="notice bad">This page needs JavaScript to follow your order.</p></noscript>
<dl id="facts" hidden>
<div><dt>Product</dt><dd id="product"></dd></div>
<div><dt>Amount</dt><dd id="amount"></dd></div>
<div id="refunded-row" hidden><dt>Refunded</dt><dd id="refunded"></dd></div>
<div id="fulfillment-row" hidden><dt>Delivery</dt><dd id="fulfillment" aria-live="polite"></dd></div>
<div><dt>Order</dt><dd><code>${merchantOrderId}</code></dd></div>
</dl>
<p class="actions"><button class="primary" id="try-again" hidden>Back to the payment page</button>
<button id="buy-again" hidden>Order again</button> <a href="/">To the products</a></p>
<p class="trouble" id="trouble" role="alert" hidden></p>
</section>`,
  });
}
