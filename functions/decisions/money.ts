import { Decimal } from 'decimal.js';

/**
 * Exact decimals wide enough that no sum of stored amounts (18 digits each) is ever rounded, and that never print an
 * exponent.
 */
export const Money = Decimal.clone({ precision: 60, toExpNeg: -40, toExpPos: 60 });

/** Digits behind the point that a column of type NUMERIC(18,4) keeps. */
const STORED_DECIMALS = 4;

/**
 * Digits behind the point per currency. Clink takes whole numbers for JPY, KRW and IDR, whatever ISO 4217 says of IDR.
 */
const CURRENCY_EXPONENT: ReadonlyMap<string, number> = new Map([
  ...['CLP', 'IDR', 'ISK', 'JPY', 'KRW', 'PYG', 'UGX', 'VND', 'XAF', 'XOF'].map((code) => [code, 0] as const),
  ...[
    'AED',
    'ARS',
    'AUD',
    'BRL',
    'CAD',
    'CHF',
    'CNY',
    'COP',
    'CZK',
    'DKK',
    'EUR',
    'GBP',
    'HKD',
    'HUF',
    'ILS',
    'INR',
  ].map((code) => [code, 2] as const),
  ...[
    'MXN',
    'MYR',
    'NOK',
    'NZD',
    'PEN',
    'PHP',
    'PLN',
    'RON',
    'SAR',
    'SEK',
    'SGD',
    'THB',
    'TRY',
    'TWD',
    'USD',
    'ZAR',
  ].map((code) => [code, 2] as const),
  ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((code) => [code, 3] as const),
]);

const PLAIN_DECIMAL = /^(?:0|[1-9]\d{0,13})(?:\.\d{1,20})?$/;

/** Decimal digits of a currency's minor unit, or undefined for a currency we do not know and so do not sell in. */
export function currencyExponent(currency: string): number | undefined {
  return CURRENCY_EXPONENT.get(currency);
}

/** ISO 4217 letters in upper case, or null when the text is not three letters. Case and outer blanks do not matter. */
export function parseCurrency(text: string | null): string | null {
  const currency = text?.trim().toUpperCase() ?? '';
  return /^[A-Z]{3}$/.test(currency) ? currency : null;
}

/**
 * An amount in major units of `currency`, zero allowed, or null when the text is not one we may book: a sign, an
 * exponent, hex, more than 14 whole digits, or more decimals than the currency has.
 */
export function parseAmount(text: string | null, currency: string): Decimal | null {
  if (text === null || !PLAIN_DECIMAL.test(text)) return null;
  const amount = new Money(text);
  const allowed = Math.min(currencyExponent(currency) ?? STORED_DECIMALS, STORED_DECIMALS);
  return amount.decimalPlaces() <= allowed ? amount : null;
}

/** Like `parseAmount`, and greater than zero: the grammar of a refund. */
export function parsePositiveAmount(text: string | null, currency: string): Decimal | null {
  const amount = parseAmount(text, currency);
  return amount?.greaterThan(0) ? amount : null;
}

/** Major units from whole minor units (1999 USD is 19.99, 1999 JPY is 1999), or null for a currency we do not know. */
export function fromMinorUnits(minor: bigint, currency: string): Decimal | null {
  const exponent = currencyExponent(currency);
  return exponent === undefined ? null : new Money(minor.toString()).dividedBy(new Money(10).pow(exponent));
}

/** Sum of amounts that the database already holds. */
export function sumOf(amounts: readonly string[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Money(0));
}
