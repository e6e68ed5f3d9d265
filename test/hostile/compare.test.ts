import { afterEach, describe, expect, test, vi } from 'vitest';

import { checkSignature } from '../../functions/http/webhook-signature.ts';
import { clinkSignature } from '../http/payload.ts';
import { sourcesIn } from '../support/source-tree.ts';

const timingSafeEqual = vi.hoisted(() => vi.fn());
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  timingSafeEqual.mockImplementation(crypto.timingSafeEqual);
  return { ...crypto, timingSafeEqual };
});

afterEach(() => void timingSafeEqual.mockClear());

/** Whoever makes a MAC in order to compare it, rather than to send it. */
const VERIFIER = 'functions/http/webhook-signature.ts';
/** A comparison that ends at the first difference, on either side of something that is a signature. */
const LEAKY = new RegExp(
  String.raw`\b\w*(signature|digest|hmac|given)\w*(\([^)]*\))?\s*(===?|!==?|\.equals\(|\.startsWith\(|\.localeCompare\()` +
    String.raw`|(===?|!==?|\.equals\(|\.compare\(|\.includes\()\s*\w*(signature|digest|hmac|given)\w*`,
  'i',
);

describe('signatures are compared in constant time', () => {
  test('only one place compares them', () => {
    const verifying = sourcesIn('functions').filter(({ code }) => /timingSafeEqual/.test(code));
    expect(verifying.map(({ path }) => path)).toEqual([VERIFIER]);
    const making = sourcesIn('functions').filter(({ code }) => /createHmac/.test(code));
    expect(making.map(({ path }) => path)).toEqual([VERIFIER]);
  });

  test('nothing on the way of a request compares one as text or bytes', () => {
    const leaks = sourcesIn('functions/http').filter(({ code }) => LEAKY.test(code));
    expect(leaks.map(({ path }) => path)).toEqual([]);
  });

  test.each([
    'if (signature === expected) return true;',
    'return hmac(secret, bytes) === given;',
    'return Buffer.compare(given, other) === 0 || digest.equals(given);',
    'secrets.some((s) => s !== signature)',
  ])('the rule sees %j', (code) => {
    expect(code).toMatch(LEAKY);
  });

  test.each([
    ['the first', ['right', 'b', 'c']],
    ['the last', ['a', 'b', 'right']],
    ['none', ['a', 'b', 'c']],
  ])('as many comparisons are made when %s secret is the right one', (_which, secrets) => {
    const bytes = Buffer.from('{}');
    const signature = clinkSignature('right', '1786000000000', bytes);
    const delivery = { bytes, signType: 'SHA256', timestamp: '1786000000000', signature };
    checkSignature(delivery, { secrets, now: 1_786_000_000_000, windowMs: 1 });
    expect(timingSafeEqual).toHaveBeenCalledTimes(3);
  });
});
