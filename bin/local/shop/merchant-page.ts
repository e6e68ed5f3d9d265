import { isJsonObject, type JsonObject } from '../../../functions/clink/json.ts';
import { type Html, html } from '../clink-double/html.ts';
import type { Call, Reply } from '../clink-double/http.ts';
import { displayAmount } from '../clink-double/money.ts';
import type { MerchantCall, MerchantTask } from './merchant-ledger.ts';
import { shopPage } from './page.ts';
import type { ShopContext } from './shop-context.ts';

interface Section {
  readonly task: MerchantTask;
  readonly title: string;
  readonly none: string;
  readonly tell: (data: JsonObject) => string;
}

const SECTIONS: readonly Section[] = [
  {
    task: 'fulfill',
    title: 'Delivered',
    none: 'Nothing yet.',
    tell: (data) => {
      const product = isJsonObject(data.product) ? data.product : {};
      return `${product.quantity} × ${product.name}, ${displayAmount(data.amount, data.currency)}, to ${data.customerId}`;
    },
  },
  {
    task: 'apply_refund_policy',
    title: 'Taken back after refunds',
    none: 'No refunds yet.',
    tell: (data) => `${displayAmount(data.refundedAmount, data.paymentCurrency)} in all, order ${data.orderStatus}`,
  },
  {
    task: 'manual_reconciliation',
    title: 'Cases for a person',
    none: 'No conflicts.',
    tell: (data) => String(data.reason),
  },
  { task: 'page_outbox_failure', title: 'Alerts', none: 'Quiet.', tell: (data) => String(data.title) },
];

/** What the merchant was asked to do, each piece of work once however often it was called for. */
export function merchantPage(context: ShopContext, call: Call): Promise<Reply> {
  const work = context.ledger.work();
  return shopPage(context, call, {
    title: "Merchant's desk",
    main: html`<h1>Merchant's desk</h1>
<p class="lead">Every call from the backend that the merchant accepted. <a id="refresh" href="/merchant">Refresh</a></p>
${SECTIONS.map((section) => sectionOf(section, work))}`,
  });
}

function sectionOf({ task, title, none, tell }: Section, work: readonly MerchantCall[]): Html {
  const calls = work.filter((call) => call.task === task);
  if (calls.length === 0) return html`<section class="card"><h2>${title}</h2><p class="soft">${none}</p></section>`;
  return html`<section class="card" id="work-${task}"><h2>${title} <span class="badge">${calls.length}</span></h2>
<ul class="work">${calls.map(({ idempotencyKey, receivedAt, body }) => {
    const data = isJsonObject(body.data) ? body.data : {};
    return html`<li><span>${tell(data)}</span><span class="soft"><time>${receivedAt.slice(0, 19).replace('T', ' ')}</time>
<code>${data.merchantOrderId === undefined ? idempotencyKey : String(data.merchantOrderId)}</code></span></li>`;
  })}</ul></section>`;
}
