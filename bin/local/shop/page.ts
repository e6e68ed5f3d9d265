import { type Html, html, Html as Markup } from '../clink-double/html.ts';
import type { Call, Reply } from '../clink-double/http.ts';
import type { ShopContext } from './shop-context.ts';
import { visitorOf } from './visitor.ts';

interface Content {
  readonly title: string;
  readonly main: Html;
  /** The module under `/assets/` that brings the page to life. */
  readonly script?: string;
}

/** A page of the shop. Scripts and styles come from the shop alone, and scripts may call nothing but the API. */
export async function shopPage(context: ShopContext, call: Call, { title, main, script }: Content): Promise<Reply> {
  const visitor = visitorOf(call, context.customers);
  const session = { apiUrl: context.apiUrl(), customerId: visitor.id, token: await context.issueToken(visitor) };
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Demo shop</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/shop.css">
<script type="application/json" id="session">${scriptData(session)}</script>
${script !== undefined && html`<script type="module" src="/assets/${script}"></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>${banner(context, call, visitor.id)}</header>
<main id="main">${main}</main>
<footer>A demo on this machine. No real money moves, and nothing is sent to anyone.</footer>
</body>
</html>
`;
  return { status: 200, headers: headersFor(session.apiUrl), body: markup };
}

function banner({ customers, dashboardUrl }: ShopContext, { path }: Call, visitorId: string): Html {
  const dashboard = dashboardUrl();
  const link = (href: string, text: string): Html =>
    html`<a href="${href}"${path === href && html` aria-current="page"`}>${text}</a>`;
  return html`<nav aria-label="Shop"><span class="name">Demo shop</span>
${link('/', 'Products')} ${link('/orders', 'My orders')} ${link('/merchant', "Merchant's desk")}
${dashboard !== null && html`<a href="${dashboard}">Clink dashboard</a>`}</nav>
<form method="post" action="/sign-in" class="who"><span id="who-label">Shopping as</span>
<span class="choice" role="group" aria-labelledby="who-label">${customers.map(
    ({ id, name }) =>
      html`<button name="customer" value="${id}" aria-pressed="${id === visitorId ? 'true' : 'false'}">${name}</button>`,
  )}</span></form>`;
}

function headersFor(apiUrl: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'",
      `frame-ancestors 'none'; connect-src ${apiUrl}`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
  };
}

/** JSON that cannot end the script element it stands in. */
function scriptData(value: object): Html {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}
