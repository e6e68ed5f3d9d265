import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { pathSegment } from '../../functions/clink/path.ts';

describe('pathSegment', () => {
  test.each([
    ['order_0A1', 'order_0A1'],
    ['a b?c#d', 'a%20b%3Fc%23d'],
    ['100%', '100%25'],
    ['ordre_é', 'ordre_%C3%A9'],
    ['...', '...'],
  ])('encodes %j', (id, segment) => {
    expect(pathSegment(id)).toBe(segment);
  });

  test.each(['', '.', '..', 'a/b', 'a\\b', 'a\nb', 'a\0', '%2e%2e', '%2E', 'a%2Fb', 'a%5cb', '%00', '\ud800'])(
    'refuses %j',
    (id) => {
      expect(pathSegment(id)).toBeNull();
    },
  );

  test('no segment leaves its place in the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        const segment = pathSegment(id);
        if (segment === null) return;
        const { pathname } = new URL(`https://clink.test/api/order/${segment}`);
        expect(pathname).toBe(`/api/order/${segment}`);
        expect(decodeURIComponent(segment)).toBe(id);
      }),
    );
  });
});
