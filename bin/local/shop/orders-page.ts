import { html } from '../clink-double/html.ts';
import type { Call, Reply } from '../clink-double/http.ts';
import { shopPage } from './page.ts';
import type { ShopContext } from './shop-context.ts';

/** The orders that this browser remembers for the visitor, each as the API shows it. */
export function ordersPage(context: ShopContext, call: Call): Promise<Reply> {
  return shopPage(context, call, {
    title: 'My orders',
    script: 'orders.js',
    main: html`<h1>My orders</h1>
<p class="lead">Orders made in this browser, as this customer.</p>
<noscript><p class="notice bad">This page needs JavaScript.</p></noscript>
<ul class="orders" id="orders"></ul>
<p id="no-orders" hidden>None yet. <a href="/">Buy something</a>.</p>`,
  });
}
