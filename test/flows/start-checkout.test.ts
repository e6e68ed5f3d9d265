import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collide } from '../support/collision.ts';
import { addOrder } from '../support/rows.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { storedCheckout } from '../support/stored.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const stored = (id: unknown) => storedCheckout(shop.backend.db.owner, String(id));

async function countOrders(): Promise<number> {
  const [row] = await shop.backend.db.owner<{ orders: number }[]>`SELECT count(*) AS orders FROM merchant_orders`;
  return row?.orders ?? 0;
}

function refusal(status: number, code: string) {
  return { status, body: { error: { code, message: expect.any(String) } } };
}

describe('the price of a checkout', () => {
  it.each([
    ['USD', 10, 3, '0.1', '0.3'],
    ['USD', 110, 3, '1.1', '3.3'],
    ['USD', 1999, 100, '19.99', '1999'],
    ['EUR', 435, 7, '4.35', '30.45'],
    ['JPY', 500, 3, '500', '1500'],
    ['KWD', 1234, 3, '1.234', '3.702'],
    ['KWD', 100, 3, '0.1', '0.3'],
    ['IDR', 15_000, 2, '15000', '30000'],
    ['USD', 9_007_199_254_740_991, 1, '90071992547409.91', '90071992547409.91'],
  ])('of %s %d minor units times %d is exact', async (currency, unitAmount, quantity, unit, total) => {
    const productId = `${currency}-${unitAmount}`;
    await shop.sell(productId, unitAmount, currency);
    const { status, body } = await shop.buy({ productId, quantity });
    expect(status).toBe(200);
    expect(await stored(body.merchantOrderId)).toMatchObject({
      amount: total,
      currency,
      productSnapshot: { id: productId, name: productId, unitAmount: unit, quantity },
    });
    const sent = shop.gate.calls.at(-1)?.body;
    expect(sent).toContain(`"originalAmount":${total},"originalCurrency":"${currency}"`);
    expect(sent).toContain(`"quantity":${quantity},"unitAmount":${unit},"currency":"${currency}"`);
  });

  it.each([
    ['a product that is unknown', 'no-such-product', 1, refusal(404, 'product_not_found')],
    ['a product that is not sold any more', 'withdrawn', 1, refusal(404, 'product_not_found')],
    ['a currency that is not known', 'in-unknown-currency', 1, refusal(422, 'currency_not_supported')],
    ['a unit price that is too large', 'too-large', 1, refusal(422, 'amount_not_supported')],
    ['a total that is too large', 'large', 2, refusal(422, 'amount_not_supported')],
  ])('%s makes no order and asks Clink for nothing', async (_what, productId, quantity, expected) => {
    const { owner } = shop.backend.db;
    await owner`
      INSERT INTO products (id, name, unit_amount, currency, active) VALUES
        ('withdrawn', 'Withdrawn', 100, 'USD', FALSE), ('in-unknown-currency', 'Odd', 100, 'XTS', TRUE),
        ('too-large', 'Large', 100000000000000, 'JPY', TRUE), ('large', 'Large', 9007199254740991, 'USD', TRUE)
      ON CONFLICT DO NOTHING`;
    const [orders, calls] = [await countOrders(), shop.gate.calls.length];
    expect(await shop.buy({ productId, quantity, key: `refused-${productId}` })).toMatchObject(expected);
    expect([await countOrders(), shop.gate.calls.length]).toEqual([orders, calls]);
  });

  it.each([{ price: '0.01' }, { unitAmount: 1 }, { amount: 1 }, { currency: 'IDR' }, { customerId: 'customer_2' }])(
    'takes nothing from the body but product and quantity: %j',
    async (more) => {
      const orders = await countOrders();
      expect(await shop.buy({ more })).toMatchObject(refusal(400, 'invalid_request'));
      expect(await countOrders()).toBe(orders);
    },
  );

  it('is settled when the order is made, also when Clink is asked after the catalog has changed', async () => {
    await shop.sell('repriced', 1000, 'USD');
    await shop.nextAnswer({ status: 500 });
    expect(await shop.buy({ productId: 'repriced', key: 'repriced' })).toMatchObject({ status: 502 });
    await shop.backend.db.owner`UPDATE products SET unit_amount = 5, active = FALSE WHERE id = 'repriced'`;

    expect(await shop.buy({ productId: 'repriced', key: 'repriced' })).toMatchObject({ status: 200 });
    expect(shop.gate.calls.at(-1)?.body).toContain('"originalAmount":10,');
  });
});

describe('a checkout', () => {
  it('answers with the order and its URL alone, and keeps whose it is', async () => {
    const { status, body, headers } = await shop.buy({ customerId: 'customer_3' });
    const id = String(body.merchantOrderId);
    const [sessionId] = await shop.sessionsOf(id);
    expect(status).toBe(200);
    expect(body).toEqual({ merchantOrderId: id, checkoutUrl: expect.stringMatching(/^http/) });
    expect(headers['cache-control']).toBe('no-store');
    expect(await stored(id)).toMatchObject({
      customerId: 'customer_3',
      paymentStatus: 'pending',
      clinkSessionId: sessionId,
      clinkCheckoutUrl: body.checkoutUrl,
    });
  });

  it('tells Clink where to send the shopper back to, with the order in the address', async () => {
    const { body } = await shop.buy();
    expect(JSON.parse(shop.gate.calls.at(-1)?.body ?? '{}')).toMatchObject({
      merchantReferenceId: body.merchantOrderId,
      referenceCustomerId: 'customer_1',
      customerEmail: 'customer_1@example.test',
      successUrl: `https://shop.example/return?lang=en&orderId=${body.merchantOrderId}`,
      cancelUrl: `https://shop.example/cart?orderId=${body.merchantOrderId}`,
    });
  });

  it('commits its order before Clink is asked', async () => {
    const held = shop.gate.hold();
    const answer = shop.buy({ key: 'committed' });
    await held.answered;
    const [row] = await shop.backend.db.owner`
      SELECT payment_status, clink_session_id FROM merchant_orders WHERE idempotency_key = 'committed'`;
    expect(row).toEqual({ paymentStatus: 'created', clinkSessionId: null });
    held.release();
    expect(await answer).toMatchObject({ status: 200 });
  });
});

describe('an idempotency key', () => {
  it('with the same body again gives the same order and URL, and one session at Clink', async () => {
    const first = await shop.buy({ key: 'again' });
    const second = await shop.buy({ key: 'again' });
    expect(second).toEqual(first);
    expect(first.status).toBe(200);
    expect(await shop.sessionsOf(String(first.body.merchantOrderId))).toHaveLength(1);
  });

  it.each([2, 5])('sent %d times at once gives one order, one URL and one session at Clink', async (times) => {
    const key = `at-once-${times}`;
    const { owner } = shop.backend.db;
    const [first, ...others] = await collide(
      owner,
      (tx) => addOrder(tx, { idempotencyKey: key, requestHash: 'of a transaction that fails' }),
      Array.from({ length: times }, () => () => shop.buy({ key })),
    );

    expect(first?.status).toBe(200);
    expect(others).toEqual(Array(times - 1).fill(first));
    expect(await shop.sessionsOf(String(first?.body.merchantOrderId))).toHaveLength(1);
    const [row] = await owner`SELECT count(*) AS orders FROM merchant_orders WHERE idempotency_key = ${key}`;
    expect(row?.orders).toBe(1);
  });

  it.each([{ quantity: 2 }, { productId: 'another' }])('with another body is refused: %j', async (change) => {
    await shop.backend.db.owner`
      INSERT INTO products (id, name, unit_amount, currency) VALUES ('another', 'Another', 1999, 'USD')
      ON CONFLICT DO NOTHING`;
    const key = `other-body-${Object.keys(change)}`;
    expect(await shop.buy({ key })).toMatchObject({ status: 200 });
    const orders = await countOrders();
    expect(await shop.buy({ key, ...change })).toMatchObject(refusal(409, 'idempotency_key_reused'));
    expect(await countOrders()).toBe(orders);
  });

  it('with another body is refused also when both arrive at once', async () => {
    const answers = await Promise.all([shop.buy({ key: 'two-bodies' }), shop.buy({ key: 'two-bodies', quantity: 2 })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('of another customer is another order', async () => {
    const mine = await shop.buy({ key: 'shared' });
    const theirs = await shop.buy({ key: 'shared', customerId: 'customer_4' });
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.body.merchantOrderId).not.toBe(mine.body.merchantOrderId);
    expect(theirs.body.checkoutUrl).not.toBe(mine.body.checkoutUrl);
  });

  it('left out makes an order of each request', async () => {
    const [first, second] = [await shop.buy(), await shop.buy()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.merchantOrderId).not.toBe(first.body.merchantOrderId);
  });
});
