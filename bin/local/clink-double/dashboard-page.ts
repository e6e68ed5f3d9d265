import type { JsonObject } from '../../../functions/clink/json.ts';
import { deliveryKnobs, rotationKnobs, troubleKnobs } from './dashboard-knobs.ts';
import { type DeliveryRecord, listDeliveries } from './deliveries.ts';
import { textOf } from './fields.ts';
import { type Html, html, page } from './html.ts';
import type { Reply } from './http.ts';
import { displayAmount } from './money.ts';
import { refundableRest } from './refunds.ts';
import type { World } from './world.ts';

const SHOWN = 50;

/** The dashboard with the latest of everything, newest first. */
export function dashboardPage(world: World, canRotate: boolean): Reply {
  return page(
    'Clink double: dashboard',
    html`<body class="dashboard"><main>
<header><div><h1>Clink double</h1><p class="soft">Everything the merchant's Clink account would show. No real money.</p></div>
<a id="refresh" href="/dashboard">Refresh</a></header>
${table('Sessions', ['Session', 'Reference', 'Amount', 'Status', 'Payment', 'Expires', ''], world.sessions.latest(SHOWN).map(sessionRow))}
${table(
  'Orders',
  ['Order', 'Reference', 'Taken', 'Status', 'Refund'],
  world.orders.latest(SHOWN).map((order) => orderRow(world, order)),
)}
${table('Refunds', ['Refund', 'Order', 'Amount', 'Status'], world.refunds.latest(SHOWN).map(refundRow))}
${table('Webhook deliveries', ['Event', 'Type', 'State', 'Answer', 'Attempts', ''], listDeliveries(world.database, SHOWN).map(deliveryRow))}
<section class="knobs"><h2>Trouble on request</h2>
${deliveryKnobs(world.knobs.delivery)}
${troubleKnobs(world.knobs.answers.length)}
${canRotate && rotationKnobs()}
</section>
</main></body>`,
  );
}

function table(title: string, columns: readonly string[], rows: readonly Html[]): Html {
  if (rows.length === 0) return html`<section><h2>${title}</h2><p class="soft">None yet.</p></section>`;
  return html`<section><h2>${title}</h2><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></section>`;
}

function sessionRow(session: JsonObject): Html {
  const id = String(session.sessionId);
  const token = textOf(session, 'token');
  const open = session.status === 'open';
  return html`<tr><td><code>${id}</code></td><td>${textOf(session, 'merchantReferenceId')}</td>
<td class="number">${displayAmount(session.amountSubtotal, session.originalCurrency)}</td>
<td>${badge(session.status)}</td><td>${badge(session.paymentStatus)}</td>
<td>${textOf(session, 'expire')?.slice(0, 16).replace('T', ' ')}</td>
<td>${
    open &&
    html`<form method="post" action="/dashboard/sessions/${encodeURIComponent(id)}/expire">
${token !== undefined && html`<a href="/pay/${token}">Payment page</a>`}
<button id="expire-${id}">Expire</button></form>`
  }</td></tr>`;
}

function orderRow(world: World, order: JsonObject): Html {
  const id = String(order.orderId);
  const rest = refundableRest(world, order);
  return html`<tr><td><code>${id}</code></td><td>${textOf(order, 'merchantReferenceId')}</td>
<td class="number">${displayAmount(order.amountTotal, order.paymentCurrency)}</td><td>${badge(order.status)}</td>
<td>${
    rest.gt(0) &&
    html`<form method="post" action="/dashboard/orders/${encodeURIComponent(id)}/refund">
<input id="refund-amount-${id}" name="amount" inputmode="decimal" placeholder="${rest.toFixed()}" aria-label="Amount to refund">
<button id="refund-${id}">Refund</button> <span class="soft">empty = all that is left</span></form>`
  }</td></tr>`;
}

function refundRow(refund: JsonObject): Html {
  return html`<tr><td><code>${String(refund.refundId)}</code></td><td><code>${String(refund.orderId)}</code></td>
<td class="number">${displayAmount(refund.refundAmount, refund.refundCurrency)}</td><td>${badge(refund.status)}</td></tr>`;
}

function deliveryRow({ id, eventId, type, state, lastResult, attempts }: DeliveryRecord): Html {
  return html`<tr><td><code>${eventId}</code></td><td>${type}</td><td>${badge(state.replace('_', ' '))}</td>
<td>${lastResult}</td><td>${attempts}</td>
<td><form method="post" action="/dashboard/events/${eventId}/resend"><button id="resend-${id}">Resend</button></form></td></tr>`;
}

function badge(status: unknown): Html | undefined {
  return typeof status === 'string' ? html`<span class="badge">${status}</span>` : undefined;
}
