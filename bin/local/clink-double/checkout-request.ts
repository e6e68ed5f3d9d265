import type { Decimal } from 'decimal.js';
import { isJsonObject, JsonNumber, type JsonObject } from '../../../functions/clink/json.ts';
import { textOf } from './fields.ts';
import { decimalOf, decimalsOf, isChargeable, sumOf } from './money.ts';
import { demand } from './refusal.ts';

/** Refuses a request for a session with a sentence, unless it is as Clink documents it. */
export function demandCheckoutRequest(request: JsonObject): void {
  demandAmounts(request);
  demandAddresses(request);
  demandMetadata(request.metadata);
}

function demandAmounts(request: JsonObject): void {
  const { originalAmount, originalCurrency, priceDataList } = request;
  demand(
    typeof originalCurrency === 'string' && decimalsOf(originalCurrency) !== undefined,
    'originalCurrency must be an ISO 4217 code.',
  );
  const amount = demandAmount(originalAmount, originalCurrency, 'originalAmount');
  if (priceDataList === undefined) return;
  demand(Array.isArray(priceDataList) && priceDataList.length > 0, 'priceDataList must be a list with line items.');
  const total = sumOf(priceDataList.map((item: unknown) => lineTotal(item, originalCurrency)));
  demand(total.eq(amount), 'The line items do not add up to originalAmount.');
}

function lineTotal(item: unknown, currency: string): Decimal {
  demand(isJsonObject(item) && textOf(item, 'name') !== undefined, 'Each line item needs a name.');
  demand((item.currency ?? currency) === currency, 'Each line item must be in originalCurrency.');
  const unit = demandAmount(item.unitAmount, currency, 'unitAmount');
  const quantity = item.quantity ?? new JsonNumber('1');
  demand(
    quantity instanceof JsonNumber && /^[1-9]\d{0,5}$/.test(quantity.source),
    'quantity must be a whole number from 1.',
  );
  return unit.times(quantity.source);
}

function demandAmount(value: unknown, currency: string, name: string): Decimal {
  const amount = value instanceof JsonNumber ? decimalOf(value) : undefined;
  demand(
    amount !== undefined && isChargeable(amount, currency),
    `${name} must be a number greater than zero, with no more decimals than its currency has.`,
  );
  return amount;
}

function demandAddresses(request: JsonObject): void {
  demand((request.uiMode ?? 'hostedPage') === 'hostedPage', 'uiMode must be hostedPage.');
  for (const name of ['successUrl', 'cancelUrl']) {
    const address = request[name] ?? undefined;
    demand(
      address === undefined || (typeof address === 'string' && /^https?:$/.test(URL.parse(address)?.protocol ?? '')),
      `${name} must be an http or https address.`,
    );
  }
}

function demandMetadata(metadata: unknown): void {
  if (metadata === undefined || metadata === null) return;
  demand(
    isJsonObject(metadata) && Object.keys(metadata).length <= 20,
    'metadata must be an object of at most 20 keys.',
  );
  for (const [key, value] of Object.entries(metadata)) {
    demand(
      key.length <= 40 && typeof value === 'string' && value.length <= 500,
      'metadata holds text: keys up to 40 characters, values up to 500.',
    );
  }
}
