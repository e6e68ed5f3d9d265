import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAttempt, addOrder } from '../support/rows.ts';
import { openShop, type Shop } from '../support/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

interface State {
  readonly order?: Record<string, unknown>;
  readonly attempts?: readonly string[];
  /** What was paid; the last attempt is the one that paid. */
  readonly paid?: { readonly amount: string; readonly currency: string; readonly refunded?: string };
}

/** An order in a state that events could have brought it to. */
async function orderIn({ order, attempts = [], paid }: State): Promise<string> {
  const { owner } = shop.backend.db;
  const { paymentStatus = 'pending', ...columns } = order ?? {};
  const id = await addOrder(owner, columns);
  let paidBy: string | null = null;
  for (const status of attempts) {
    paidBy = await addAttempt(owner, id, { status, failureCode: 'card_declined', failureMessage: 'Do not honour.' });
  }
  const { amount = null, currency = null, refunded = '0' } = paid ?? {};
  await owner`
    UPDATE merchant_orders
    SET payment_status = ${String(paymentStatus)}, current_clink_order_id = ${paidBy}, refunded_amount = ${refunded},
        refundable_paid_clink_order_id = ${paid ? paidBy : null}, refundable_paid_amount = ${amount},
        refundable_paid_currency = ${currency}
    WHERE id = ${id}`;
  return id;
}

const PAID = { amount: '19.99', currency: 'USD' };
const NOT_FOUND = { error: { code: 'order_not_found', message: 'There is no such order of yours.' } };

describe('GET /api/orders/{id}', () => {
  it('shows a new order of the caller', async () => {
    const { body } = await shop.buy({ quantity: 2 });
    const id = String(body.merchantOrderId);
    expect(await shop.look(id)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: {
        id,
        paymentStatus: 'pending',
        fulfillmentStatus: 'none',
        sessionStatus: 'open',
        amount: '39.98',
        currency: 'USD',
        refundedAmount: '0',
        product: { id: 'poster', name: 'Poster', quantity: 2 },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        display: 'confirming',
      },
    });
  });

  it("another customer's order and an unknown one look alike", async () => {
    const { body } = await shop.buy();
    const foreign = await shop.look(String(body.merchantOrderId), 'customer_2');
    expect(foreign).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await shop.look('mo_unknown')).toEqual(foreign);
    expect(await shop.look(`${body.merchantOrderId}' OR '1'='1`)).toEqual(foreign);
  });

  it.each<[string, string, State]>([
    ['confirming', 'nothing was sent to Clink yet', { order: { paymentStatus: 'created', clinkSessionId: null } }],
    ['confirming', 'the session is open and no attempt was made', {}],
    ['confirming', 'an attempt is under way', { attempts: ['pending'] }],
    ['confirming', 'the session completed before its payment', { order: { clinkSessionStatus: 'completed' } }],
    [
      'confirming',
      'the session expired while an attempt is under way',
      { order: { clinkSessionStatus: 'expired' }, attempts: ['failed', 'pending'] },
    ],
    [
      'confirming',
      'a success could not be booked and a person has it',
      { order: { clinkSessionStatus: 'completed' }, attempts: ['succeeded'] },
    ],
    [
      'action_required',
      'Clink waits for the shopper',
      { order: { paymentStatus: 'action_required' }, attempts: ['action_required'] },
    ],
    [
      'failed_try_again',
      'the attempt failed in an open session',
      { order: { paymentStatus: 'payment_failed' }, attempts: ['failed'] },
    ],
    ['expired', 'the session expired without an attempt', { order: { clinkSessionStatus: 'expired' } }],
    [
      'expired',
      'the session expired after a failure',
      { order: { paymentStatus: 'payment_failed', clinkSessionStatus: 'expired' }, attempts: ['failed'] },
    ],
    ['paid', 'the payment is booked', { order: { paymentStatus: 'paid' }, attempts: ['succeeded'], paid: PAID }],
    [
      'paid',
      'the payment is booked and the session expired',
      {
        order: { paymentStatus: 'paid', clinkSessionStatus: 'expired' },
        attempts: ['failed', 'succeeded'],
        paid: PAID,
      },
    ],
    [
      'partially_refunded',
      'a part was given back',
      {
        order: { paymentStatus: 'partial_refunded', fulfillmentStatus: 'fulfilled' },
        attempts: ['succeeded'],
        paid: { ...PAID, refunded: '5' },
      },
    ],
    [
      'refunded',
      'all was given back',
      { order: { paymentStatus: 'refunded' }, attempts: ['succeeded'], paid: { ...PAID, refunded: '19.99' } },
    ],
  ])('displays %s when %s', async (display, _when, state) => {
    const { body } = await shop.look(await orderIn(state));
    expect(body).toMatchObject({ display, paymentStatus: state.order?.paymentStatus ?? 'pending' });
  });

  it.each([
    ['USD', '19.9000', '19.9', '5.0500', '5.05'],
    ['JPY', '1000', '1000', '100', '100'],
    ['KWD', '3.702', '3.702', '0.001', '0.001'],
    ['IDR', '15000000', '15000000', '10000000', '10000000'],
    ['USD', '99999999999999', '99999999999999', '0.0001', '0.0001'],
  ])('writes amounts in %s as plain decimals: %s as %s', async (currency, amount, shown, refunded, shownRefund) => {
    const id = await orderIn({
      order: { paymentStatus: 'partial_refunded', originalAmount: amount, originalCurrency: currency },
      attempts: ['succeeded'],
      paid: { amount, currency, refunded },
    });
    expect((await shop.look(id)).body).toMatchObject({ amount: shown, currency, refundedAmount: shownRefund });
  });

  it('names the currency of a refund when the shopper paid in another one', async () => {
    const id = await orderIn({
      order: { paymentStatus: 'partial_refunded', originalAmount: '7.50', originalCurrency: 'USD' },
      attempts: ['succeeded'],
      paid: { amount: '139659', currency: 'IDR', refunded: '50000' },
    });
    expect((await shop.look(id)).body).toMatchObject({
      amount: '7.5',
      currency: 'USD',
      refundedAmount: '50000',
      refundedCurrency: 'IDR',
    });
  });

  it("holds our view alone: nothing of Clink's, of the customer or of the checkout's address", async () => {
    const id = await orderIn({
      order: { paymentStatus: 'payment_failed', clinkSessionId: 'sess_secret', idempotencyKey: 'k', requestHash: 'h' },
      attempts: ['failed'],
    });
    const { body } = await shop.look(id);
    expect(Object.keys(body).sort()).toEqual(
      [
        'amount',
        'createdAt',
        'currency',
        'display',
        'fulfillmentStatus',
        'id',
        'paymentStatus',
        'product',
        'refundedAmount',
        'sessionStatus',
        'updatedAt',
      ].sort(),
    );
    expect(body.product).toEqual({ id: 'poster', name: 'Poster', quantity: 1 });
    expect(JSON.stringify(body)).not.toMatch(/sess_|order_|https?:|card_declined|honour|customer_1|unitAmount/);
  });
});
