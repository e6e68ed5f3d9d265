import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  currencyExponent,
  fromMinorUnits,
  parseAmount,
  parseCurrency,
  parsePositiveAmount,
  sumOf,
} from '../../functions/decisions/money.ts';

describe('the grammar of amounts', () => {
  it.each([
    ['19.99', 'USD', '19.99'],
    ['0', 'USD', '0'],
    ['0.00', 'USD', '0'],
    ['19.990', 'USD', '19.99'],
    ['139659', 'IDR', '139659'],
    ['100.00', 'JPY', '100'],
    ['1.234', 'KWD', '1.234'],
    ['99999999999999.9999', 'XXX', '99999999999999.9999'],
  ])('%s %s is %s', (text, currency, expected) => {
    expect(parseAmount(text, currency)?.toFixed()).toBe(expected);
  });

  it.each([
    ['more decimals than the currency has', '1.999', 'USD'],
    ['a fraction of a yen', '1.5', 'JPY'],
    ['a fraction of a rupiah, whatever ISO 4217 says', '1.5', 'IDR'],
    ['five decimals of a currency we do not know', '1.00001', 'XXX'],
    ['a fourth decimal of a dinar', '1.2345', 'KWD'],
    ['hex', '0x10', 'USD'],
    ['an exponent', '1e3', 'USD'],
    ['a huge exponent', '1e308', 'USD'],
    ['a negative one', '-1', 'USD'],
    ['a sign', '+1', 'USD'],
    ['NaN', 'NaN', 'USD'],
    ['infinity', 'Infinity', 'USD'],
    ['nothing', '', 'USD'],
    ['blanks', ' 1', 'USD'],
    ['a leading zero', '01', 'USD'],
    ['a bare point', '1.', 'USD'],
    ['no whole digit', '.5', 'USD'],
    ['two points', '1.2.3', 'USD'],
    ['a comma', '1,99', 'USD'],
    ['fifteen whole digits', '100000000000000', 'USD'],
    ['digits of another script', '１２', 'USD'],
    ['a line end', '1\n', 'USD'],
  ])('refuses %s', (_what, text, currency) => {
    expect(parseAmount(text, currency)).toBeNull();
  });

  it('refuses no amount at all', () => {
    expect(parseAmount(null, 'USD')).toBeNull();
  });

  it.each(['0', '0.00', '-1', 'x'])('%s is no refund', (text) => {
    expect(parsePositiveAmount(text, 'USD')).toBeNull();
  });

  it('whatever it accepts, it keeps to the last digit', () => {
    const text = fc
      .tuple(fc.bigInt({ min: 0n, max: 99_999_999_999_999n }), fc.integer({ min: 0, max: 99 }))
      .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, '0')}`);
    fc.assert(fc.property(text, (amount) => parseAmount(amount, 'USD')?.toFixed(2) === amount));
  });

  it('never accepts text that is not a plain decimal', () => {
    fc.assert(fc.property(fc.string(), (text) => parseAmount(text, 'USD') === null || /^\d+(\.\d+)?$/.test(text)));
  });
});

describe('sums and minor units', () => {
  it('adds the way people do', () => {
    expect(sumOf(['0.1', '0.2']).toFixed()).toBe('0.3');
    expect(sumOf([]).toFixed()).toBe('0');
    expect(sumOf(Array<string>(1000).fill('99999999999999.9999')).toFixed()).toBe('99999999999999999.9');
  });

  it.each([
    [1999n, 'USD', '19.99'],
    [1999n, 'JPY', '1999'],
    [1999n, 'KRW', '1999'],
    [1999n, 'IDR', '1999'],
    [1999n, 'KWD', '1.999'],
    [1n, 'USD', '0.01'],
  ])('%s minor units of %s are %s', (minor, currency, expected) => {
    expect(fromMinorUnits(minor, currency)?.toFixed()).toBe(expected);
  });

  it.each([
    [0, 'CLP IDR ISK JPY KRW PYG UGX VND XAF XOF'],
    [2, 'AED ARS AUD BRL CAD CHF CNY COP CZK DKK EUR GBP HKD HUF ILS INR'],
    [2, 'MXN MYR NOK NZD PEN PHP PLN RON SAR SEK SGD THB TRY TWD USD ZAR'],
    [3, 'BHD JOD KWD OMR TND'],
  ])('%s decimals: %s', (decimals, currencies) => {
    for (const currency of currencies.split(' '))
      expect([currency, currencyExponent(currency)]).toEqual([currency, decimals]);
  });

  it('does not price in a currency it does not know', () => {
    expect(fromMinorUnits(1n, 'ZZZ')).toBeNull();
  });
});

describe('currencies', () => {
  it.each([
    ['usd', 'USD'],
    [' USD ', 'USD'],
    ['US', null],
    ['USDT', null],
    ['U$D', null],
    ['', null],
    [null, null],
  ])('%j is %s', (text, expected) => {
    expect(parseCurrency(text)).toBe(expected);
  });
});
