import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { checkSignature, type SignedDelivery } from '../../functions/http/webhook-signature.ts';
import { clinkSignature } from './payload.ts';

const SECRET = 'whsec_demo_0123456789abcdef';
const NOW = 1_786_000_000_000;
const BODY =
  '{"id":"event_demo_1","object":"event","type":"order.created","created":1786000000000,"data":{"object":' +
  '{"orderId":"order_demo_1","merchantReferenceId":"m-1001","sessionId":"sess_demo_1","status":"created"}}}';

const delivery: SignedDelivery = {
  bytes: Buffer.from(BODY),
  signType: 'SHA256',
  timestamp: String(NOW),
  // A known answer, checked with other implementations of HMAC.
  signature: 'ab2c96bb80dbc467ba8200c322bdbda7e1df8660bd538089d3b3cce2996d49ab',
};
const rule = { secrets: [SECRET], now: NOW, windowMs: 300_000 };

const at = (timestamp: string): SignedDelivery => ({
  ...delivery,
  timestamp,
  signature: clinkSignature(SECRET, timestamp, delivery.bytes),
});

describe('checkSignature', () => {
  test('accepts the known vector, in either case of its hex digits', () => {
    expect(checkSignature(delivery, rule)).toBe('ok');
    expect(checkSignature({ ...delivery, signature: delivery.signature?.toUpperCase() }, rule)).toBe('ok');
  });

  test.each(['signType', 'timestamp', 'signature'] as const)('misses %s', (name) => {
    expect(checkSignature({ ...delivery, [name]: undefined }, rule)).toBe('missing_header');
    expect(checkSignature({ ...delivery, [name]: '' }, rule)).toBe('missing_header');
  });

  test.each(['sha256', 'SHA512', 'none', 'SHA256,SHA256'])('sign type %j is another one', (signType) => {
    expect(checkSignature({ ...delivery, signType }, rule)).toBe('wrong_sign_type');
  });

  test.each(['-1', '+1', '1.5', '1e12', '0x19fd', ' 1786000000000', '2026-08-06', '9'.repeat(16), '١'])(
    'timestamp %j is not one, even signed',
    (timestamp) => {
      expect(checkSignature(at(timestamp), rule)).toBe('bad_timestamp');
    },
  );

  test.each(['a', `${delivery.signature}0`, `${delivery.signature},${delivery.signature}`, 'z'.repeat(64)])(
    'signature %j is not one',
    (signature) => {
      expect(checkSignature({ ...delivery, signature }, rule)).toBe('malformed_signature');
    },
  );

  test.each([
    [-300_000, 'ok'],
    [300_000, 'ok'],
    [-300_001, 'stale_but_authentic'],
    [300_001, 'stale_but_authentic'],
  ])('%s ms from now: %s', (offset, result) => {
    expect(checkSignature(at(String(NOW + offset)), rule)).toBe(result);
  });

  test('a stale delivery with a wrong signature is a mismatch', () => {
    const stale = { ...at(String(NOW - 300_001)), signature: '0'.repeat(64) };
    expect(checkSignature(stale, rule)).toBe('mismatch');
  });

  test('a time in seconds is a time in 1970, whoever signed it', () => {
    expect(checkSignature(at('1786000000'), rule)).toBe('stale_but_authentic');
  });

  test('any of the secrets will do, wherever it stands', () => {
    expect(checkSignature(delivery, { ...rule, secrets: ['other', SECRET, 'third'] })).toBe('ok');
    expect(checkSignature(delivery, { ...rule, secrets: ['other'] })).toBe('mismatch');
  });

  test.each(['', ' '])('a blank secret (%j) matches nothing, not even its own signature', (blank) => {
    const forged = { ...delivery, signature: clinkSignature(blank, String(NOW), delivery.bytes) };
    expect(checkSignature(forged, { ...rule, secrets: [blank] })).toBe('mismatch');
    expect(checkSignature(forged, { ...rule, secrets: [] })).toBe('mismatch');
  });

  test('the key is the whole secret, with its prefix', () => {
    const stripped = clinkSignature(SECRET.replace('whsec_', ''), String(NOW), delivery.bytes);
    expect(checkSignature({ ...delivery, signature: stripped }, rule)).toBe('mismatch');
  });

  test('any bytes signed now are accepted, and no change of a byte is', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
    const offset = fc.integer({ min: -300_000, max: 300_000 });
    fc.assert(
      fc.property(bytes, offset, fc.nat(), fc.integer({ min: 1, max: 255 }), (body, shift, place, flip) => {
        const timestamp = String(NOW + shift);
        const signed = { ...delivery, bytes: body, timestamp, signature: clinkSignature(SECRET, timestamp, body) };
        expect(checkSignature(signed, rule)).toBe('ok');
        const changed = body.map((byte, i) => (i === place % body.length ? byte ^ flip : byte));
        expect(checkSignature({ ...signed, bytes: changed }, rule)).toBe('mismatch');
        expect(checkSignature({ ...signed, timestamp: String(NOW + shift + 1) }, rule)).not.toBe('ok');
      }),
    );
  });

  test('whatever the headers hold, the check ends with an answer that is not ok', () => {
    const header = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
    fc.assert(
      fc.property(header, header, header, (signType, timestamp, signature) => {
        expect(checkSignature({ ...delivery, signType, timestamp, signature }, rule)).not.toBe('ok');
      }),
    );
  });
});
