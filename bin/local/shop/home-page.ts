import type { Product } from '../../../functions/database/products.ts';
import { fromMinorUnits } from '../../../functions/decisions/money.ts';
import { type Html, html } from '../clink-double/html.ts';
import type { Call, Reply } from '../clink-double/http.ts';
import { displayAmount } from '../clink-double/money.ts';
import { shopPage } from './page.ts';
import { pictureOf } from './pictures.ts';
import type { ShopContext } from './shop-context.ts';

/** What is sold, each with a button that buys one. */
export async function homePage(context: ShopContext, call: Call): Promise<Reply> {
  const products = await context.listProducts();
  return shopPage(context, call, {
    title: 'Products',
    script: 'buy.js',
    main: html`<h1>Things for a slow morning</h1>
<p class="lead">Buy something: you pay on Clink's page and come back here to see the order become paid and delivered.</p>
<noscript><p class="notice bad">Buying needs JavaScript.</p></noscript>
<ul class="products">${products.map(productCard)}</ul>`,
  });
}

function productCard({ id, name, unitAmount, currency }: Product): Html {
  const price = displayAmount(fromMinorUnits(BigInt(unitAmount), currency)?.toFixed(), currency);
  return html`<li class="card">${pictureOf(id)}
<h2 id="name-${id}">${name}</h2>
<p class="price">${price}</p>
<button class="primary" id="buy-${id}" data-product="${id}" aria-describedby="name-${id}">Buy</button>
<p class="trouble" role="alert" hidden></p></li>`;
}
