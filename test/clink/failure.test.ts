import { describe, expect, test } from 'vitest';

import type { RefusalCode } from '../../functions/clink/envelope.ts';
import { ClinkError, type FailureReason } from '../../functions/clink/failure.ts';

const failure = (method: 'GET' | 'POST', reason: FailureReason, status: number | null, code: RefusalCode = null) =>
  new ClinkError({ method, path: '/checkout/session', reason, status, code });

const rows: [FailureReason, number | null, RefusalCode, permanent: boolean, outcomeUnknown: boolean][] = [
  ['network', null, null, false, true],
  ['timeout', null, null, false, true],
  ['network', 200, null, false, true],
  ['unreadable', 200, null, false, true],
  ['no_api_key', null, null, false, false],
  ['unusable_id', null, null, true, false],
  ['refused', 400, null, true, false],
  ['refused', 400, 500, true, false],
  ['refused', 401, null, false, false],
  ['refused', 403, 403, false, false],
  ['refused', 404, 404, false, false],
  ['refused', 405, null, true, false],
  ['refused', 408, null, false, false],
  ['refused', 409, 409, false, false],
  ['refused', 422, 80_100_001, true, false],
  ['refused', 425, null, false, false],
  ['refused', 429, 80_100_002, false, false],
  ['refused', 500, 500, false, true],
  ['refused', 500, 'CUSTOMER_IDENTIFIER_NOT_MATCHED', true, false],
  ['refused', 502, null, false, true],
  ['refused', 503, 80_100_003, false, true],
  ['refused', 200, 0, false, true],
  ['refused', 200, 400, true, false],
  ['refused', 200, 401, false, false],
  ['refused', 200, 404, false, false],
  ['refused', 200, 429, false, false],
  ['refused', 200, 500, false, true],
  ['refused', 200, 999, false, true],
  ['refused', 200, 1000, true, false],
  ['refused', 200, 80_100_263, true, false],
  ['refused', 200, 'CUSTOMER_NOT_FOUND', true, false],
];

describe('ClinkError', () => {
  test.each(rows)('%s, HTTP %s, code %s: permanent %s, outcome unknown %s', (reason, status, code, ...expected) => {
    const [permanent, outcomeUnknown] = expected;
    expect(failure('POST', reason, status, code)).toMatchObject({ permanent, outcomeUnknown });
    expect(failure('GET', reason, status, code)).toMatchObject({ permanent, outcomeUnknown: false });
  });

  test.each([
    [failure('GET', 'refused', 500, 500), 'Clink GET /checkout/session failed: HTTP 500, code 500'],
    [failure('GET', 'refused', 401), 'Clink GET /checkout/session failed: HTTP 401'],
    [failure('POST', 'timeout', null), 'Clink POST /checkout/session failed: timeout'],
    [failure('POST', 'unreadable', 200), 'Clink POST /checkout/session failed: HTTP 200, unreadable'],
  ])('says what happened: %s', (error, message) => {
    expect(error.message).toBe(message);
  });
});
