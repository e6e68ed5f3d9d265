import { Decimal } from 'decimal.js';
import { JsonNumber } from '../../../functions/clink/json.ts';

/** Wide enough that no sum or product of accepted amounts is ever rounded. */
const Exact = Decimal.clone({ precision: 60 });

const LIMIT = '1e15';
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/**
 * How many decimals an amount of this currency may have; undefined for an unknown currency. ISO 4217, except that
 * Clink takes IDR in whole units only.
 */
export function decimalsOf(currency: string): number | undefined {
  if (!CURRENCIES.has(currency)) return undefined;
  if (currency === 'IDR') return 0;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
}

/** The decimal value of an amount in major units given as a JSON number or as plain text; undefined for anything else. */
export function decimalOf(value: unknown): Decimal | undefined {
  const text = value instanceof JsonNumber ? value.source : value;
  if (typeof text !== 'string' || !/^-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,2})?$/.test(text)) return undefined;
  return new Exact(text);
}

/** Whether the amount can be charged: greater than zero, below the cap, no more decimals than its currency has. */
export function isChargeable(amount: Decimal, currency: string): boolean {
  const decimals = decimalsOf(currency);
  return decimals !== undefined && amount.gt(0) && amount.lt(LIMIT) && amount.decimalPlaces() <= decimals;
}

/** The exact sum. */
export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Exact(0));
}

/** The amount as an exact JSON number in plain notation. */
export function jsonAmount(amount: Decimal): JsonNumber {
  return new JsonNumber(amount.toFixed());
}

/** The amount for people, such as `US$19.99`; what is no amount in a known currency is shown as it stands. */
export function displayAmount(value: unknown, currency: unknown): string {
  const amount = decimalOf(value);
  if (amount === undefined) return 'no amount';
  if (typeof currency !== 'string' || !CURRENCIES.has(currency)) return `${amount.toFixed()} ${String(currency ?? '')}`;
  const style = { style: 'currency', currency, currencyDisplay: 'code', minimumFractionDigits: decimalsOf(currency) };
  const format = new Intl.NumberFormat('en', { ...style, maximumFractionDigits: 20 } as Intl.NumberFormatOptions);
  return format.format(amount.toFixed() as Intl.StringNumericLiteral);
}
