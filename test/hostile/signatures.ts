import { createHmac } from 'node:crypto';
import fc from 'fast-check';

export const SECRETS = ['whsec_hostile_current', 'whsec_hostile_previous'] as const;
const WINDOW_MS = 300_000;

interface Signed {
  readonly bytes: Uint8Array;
  readonly timestamp: string;
}

const hmac = (secret: string, { bytes, timestamp }: Signed): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest();
const hex = (secret: string, signed: Signed): string => hmac(secret, signed).toString('hex');

/** How a signature comes to be, from a right one to one that only looks right. */
const SIGNATURES = {
  right: (signed) => hex(SECRETS[0], signed),
  'right, of the previous secret': (signed) => hex(SECRETS[1], signed),
  'right, in upper case': (signed) => hex(SECRETS[0], signed).toUpperCase(),
  'one nibble off': (signed) => hex(SECRETS[0], signed).replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
  truncated: (signed) => hex(SECRETS[0], signed).slice(0, -1),
  'a byte short': (signed) => hex(SECRETS[0], signed).slice(0, -2),
  'a digit longer': (signed) => `${hex(SECRETS[0], signed)}0`,
  'between blanks': (signed) => ` ${hex(SECRETS[0], signed)} `,
  'with a line break': (signed) => `${hex(SECRETS[0], signed)}\n`,
  'with a NUL': (signed) => `${hex(SECRETS[0], signed)}\0`,
  'given twice': (signed) => `${hex(SECRETS[0], signed)},${hex(SECRETS[0], signed)}`,
  'with a prefix': (signed) => `sha256=${hex(SECRETS[0], signed)}`,
  'in base64': (signed) => hmac(SECRETS[0], signed).toString('base64'),
  'in full-width digits': (signed) => hex(SECRETS[0], signed).replaceAll('0', '０'),
  'of another body': (signed) => hex(SECRETS[0], { ...signed, bytes: Buffer.concat([signed.bytes, Buffer.from(' ')]) }),
  'of another timestamp': (signed) => hex(SECRETS[0], { ...signed, timestamp: `${signed.timestamp}0` }),
  'of the body alone': ({ bytes }) => createHmac('sha256', SECRETS[0]).update(bytes).digest('hex'),
  'by another secret': (signed) => hex('whsec_of_somebody_else', signed),
  'by no secret': (signed) => hex('', signed),
  'by the secret without its prefix': (signed) => hex('hostile_current', signed),
  zeros: () => '0'.repeat(64),
  empty: () => '',
  huge: () => 'a'.repeat(8_000),
  absent: () => undefined,
} satisfies Record<string, (signed: Signed) => string | undefined>;

/** How a timestamp is written. */
const TIMESTAMPS = {
  now: (now) => String(now),
  'just inside, past': (now) => String(now - WINDOW_MS + 10_000),
  'just inside, to come': (now) => String(now + WINDOW_MS - 10_000),
  'just outside, past': (now) => String(now - WINDOW_MS - 10_000),
  'just outside, to come': (now) => String(now + WINDOW_MS + 10_000),
  'long ago': () => '0',
  'in seconds': (now) => String(Math.floor(now / 1000)),
  'in microseconds': (now) => `${now}000`,
  'with leading zeros': (now) => `00${now}`,
  'with many zeros': (now) => `${'0'.repeat(400)}${now}`,
  'with a fraction': (now) => `${now}.0`,
  'with an exponent': (now) => `${now / 1e12}e12`,
  'in hexadecimal': (now) => `0x${now.toString(16)}`,
  'with a sign': (now) => `+${now}`,
  negative: (now) => `-${now}`,
  'between blanks': (now) => ` ${now} `,
  'with a line break': (now) => `${now}\n`,
  'with a NUL': (now) => `${now}\0`,
  'in other digits': (now) => String(now).replaceAll('1', '١'),
  'given twice': (now) => `${now},${now}`,
  'as ISO text': (now) => new Date(now).toISOString(),
  'not a number': () => 'NaN',
  infinite: () => 'Infinity',
  empty: () => '',
  absent: () => undefined,
} satisfies Record<string, (now: number) => string | undefined>;

const SIGN_TYPES = ['sha256', 'SHA-256', 'SHA512', 'none', '', 'SHA256 ', 'SHA256,SHA256', '\0', undefined] as const;

export interface SigningPlan {
  readonly signature: keyof typeof SIGNATURES;
  readonly timestamp: keyof typeof TIMESTAMPS;
  readonly signType: string | undefined;
}

export const rightSigning: SigningPlan = { signature: 'right', timestamp: 'now', signType: 'SHA256' };

/** Mostly one thing wrong at a time, for two hide each other. */
export const forgedSigning: fc.Arbitrary<SigningPlan> = fc.oneof(
  fc.constantFrom(...keysOf(SIGNATURES)).map((signature) => ({ ...rightSigning, signature })),
  fc.constantFrom(...keysOf(TIMESTAMPS)).map((timestamp) => ({ ...rightSigning, timestamp })),
  fc.constantFrom(...SIGN_TYPES).map((signType) => ({ ...rightSigning, signType })),
  fc.record({
    signature: fc.constantFrom(...keysOf(SIGNATURES)),
    timestamp: fc.constantFrom(...keysOf(TIMESTAMPS)),
    signType: fc.constantFrom('SHA256', ...SIGN_TYPES),
  }),
);

export interface SignatureHeaders {
  readonly signType: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

export function sign(plan: SigningPlan, bytes: Uint8Array, now: number): SignatureHeaders {
  const timestamp = TIMESTAMPS[plan.timestamp](now);
  const signature = SIGNATURES[plan.signature]({ bytes, timestamp: timestamp ?? '' });
  return { signType: plan.signType, timestamp, signature };
}

/** Whether Clink can have sent this, told without the code under test. The margins above keep clear of the window's bounds. */
export function isAuthentic({ signType, timestamp, signature }: SignatureHeaders, bytes: Uint8Array, now: number) {
  if (signType !== 'SHA256' || timestamp === undefined || signature === undefined) return false;
  if (!/^[0-9]{1,15}$/.test(timestamp) || timestamp.includes('\n') || signature.includes('\n')) return false;
  const isRight = SECRETS.some((secret) => hex(secret, { bytes, timestamp }) === signature.toLowerCase());
  return isRight && Math.abs(now - Number(timestamp)) <= WINDOW_MS;
}

function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}
