import type { Randomness } from './randomness.ts';

/** What happens at Clink, one after another. */
export type Act =
  | { readonly act: 'pay'; readonly outcome: 'success' | 'failed' | 'requires_action' }
  | { readonly act: 'verify'; readonly outcome: 'success' | 'failed' }
  | { readonly act: 'expire' }
  /** Somebody pays at a session whose address got lost on the way to the shop. */
  | { readonly act: 'pay_lost_session' }
  /** A part of the price, what is left of it, the whole price whatever is left, or a part in another currency. */
  | { readonly act: 'refund'; readonly what: 'part' | 'rest' | 'price' | 'other_currency' };

const PAY: Act = { act: 'pay', outcome: 'success' };
const DECLINE: Act = { act: 'pay', outcome: 'failed' };
const CHALLENGE: Act = { act: 'pay', outcome: 'requires_action' };
const PASS: Act = { act: 'verify', outcome: 'success' };
const FAIL: Act = { act: 'verify', outcome: 'failed' };
const EXPIRE: Act = { act: 'expire' };
const LOST: Act = { act: 'pay_lost_session' };
const refund = (what: Extract<Act, { act: 'refund' }>['what']): Act => ({ act: 'refund', what });
const [PART, REST, PRICE, OTHER] = [refund('part'), refund('rest'), refund('price'), refund('other_currency')];

const PAYMENTS: readonly [readonly Act[], ...(readonly Act[])[]] = [
  [PAY],
  [PAY],
  [PAY],
  [PAY],
  [DECLINE, PAY],
  [DECLINE, DECLINE, PAY],
  [CHALLENGE, PASS],
  [CHALLENGE, FAIL, PAY],
  [PAY, EXPIRE],
  [EXPIRE, PAY],
  [PAY, PAY],
  [LOST, PAY],
  [DECLINE],
  [CHALLENGE],
  [CHALLENGE, FAIL, EXPIRE],
  [EXPIRE],
  [LOST],
  [],
];

const REFUNDS: readonly [readonly Act[], ...(readonly Act[])[]] = [
  [],
  [],
  [],
  [PART],
  [PART, PART],
  [REST],
  [PART, REST],
  [PART, PRICE],
  [REST, PART],
  [OTHER, PART],
];

/** One order's history: how it is paid or not, and what is given back of it afterwards. */
export function newTale(randomness: Randomness): readonly Act[] {
  const payments = randomness.pick(PAYMENTS);
  const isPaid = payments.includes(PAY) || payments.includes(PASS);
  return isPaid ? [...payments, ...randomness.pick(REFUNDS)] : payments;
}
