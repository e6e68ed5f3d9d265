import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outputs } from './cdk.ts';
import { newSigningSecret } from './clink.ts';
import { receiveAndDie } from './lost-wake-up.ts';
import { eventually, type Observer, openObserver } from './observer.ts';
import { openShop, reachable, type Shop } from './shop.ts';
import { startTraffic } from './traffic.ts';
import { deliver } from './webhooks.ts';
import { openWorld, type World } from './world.ts';

const CUSTOMER = 'customer-1';

describe('a merchant with an AWS account', () => {
  const teardown = new AsyncDisposableStack();
  let world: World;
  let outputs: Outputs;
  let shop: Shop;
  let see: Observer;
  let bought: { merchantOrderId: string; clinkOrderId: string };

  beforeAll(async () => {
    world = await openWorld(teardown);
    say(`PostgreSQL, Clink, sign-in and the merchant's endpoint run; AWS is ${world.cloud.name}`);
  });
  afterAll(() => teardown.disposeAsync());

  it('bootstraps the account', async () => {
    await world.cdk.bootstrap(world.context);
  });

  it('is told why, and has nothing half done, when the schema cannot be made', async () => {
    await world.sql`CREATE TABLE products (id TEXT)`;
    await expect(world.cdk.deploy('deploy-refused', world.context)).rejects.toThrow(/"products" already exists/);
    await world.sql`DROP TABLE products`;
    expect(await world.sql`SELECT FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
    say('the deployment failed and was taken back');
  });

  it('deploys', async () => {
    outputs = await world.cdk.deploy('deploy-first', world.context);
    world.clink.webhookUrl = reachable(outputs.WebhookUrl, world.cloud);
    shop = openShop(reachable(outputs.ApiUrl, world.cloud), world.signIn);
    see = openObserver(world, shop, CUSTOMER);
    say(`${outputs.ApiUrl}, after ${(await see.books.migrations()).join(', ')}`);
  });

  it('puts the secrets in and a product on sale', async () => {
    const { secrets, clink, merchantSecret, sql } = world;
    await secrets.put(outputs.ClinkApiKeySecret, clink.apiKey);
    await secrets.put(outputs.ClinkWebhookSecret, clink.signingSecret);
    await secrets.put(outputs.MerchantSecret, merchantSecret);
    await sql`INSERT INTO products (id, name, unit_amount, currency) VALUES ('poster', 'Poster', 1999, 'USD')`;
  });

  it('sells to nobody who is not signed in', async () => {
    const { signIn } = world;
    const tokens = [
      null,
      'no.token.atall',
      await signIn.tokenFor(CUSTOMER, { issuer: 'https://other.example' }),
      await signIn.tokenFor(CUSTOMER, { audience: 'other' }),
      await signIn.tokenFor(CUSTOMER, { expires: '1 minute ago' }),
    ];
    for (const token of tokens) expect((await shop.ask(token)).status).toBe(401);
  });

  it('sells: a customer buys, pays at Clink, and the merchant delivers', async () => {
    const { merchantOrderId, checkoutUrl } = await shop.buy(CUSTOMER);
    await see.shows(merchantOrderId, { paymentStatus: 'pending', display: 'confirming' });
    bought = { merchantOrderId, clinkOrderId: await world.clink.pay(checkoutUrl) };
    await see.shows(merchantOrderId, { paymentStatus: 'paid', fulfillmentStatus: 'fulfilled', amount: '19.99' });
    expect(see.callsAbout(merchantOrderId, '/fulfillment')).toMatchObject([
      { idempotencyKey: merchantOrderId, data: { clinkOrderId: bought.clinkOrderId, amount: '19.99' } },
    ]);
    say(`${merchantOrderId} is paid and delivered`);
  });

  it('shows an order to nobody but its customer', async () => {
    expect((await shop.look(bought.merchantOrderId, 'customer-2')).status).toBe(404);
  });

  it('refunds in part and then in full', async () => {
    const { merchantOrderId, clinkOrderId } = bought;
    const first = await world.clink.refund(clinkOrderId, '5.00');
    await see.shows(merchantOrderId, { paymentStatus: 'partial_refunded', refundedAmount: '5' });
    const inPart = { refundId: first, refundedAmount: '5', orderStatus: 'partial_refunded' };
    await see.told(merchantOrderId, [inPart]);
    const second = await world.clink.refund(clinkOrderId, '14.99');
    await see.shows(merchantOrderId, { paymentStatus: 'refunded', refundedAmount: '19.99' });
    await see.told(merchantOrderId, [inPart, { refundId: second, refundedAmount: '19.99', orderStatus: 'refunded' }]);
    say('5.00 and then 14.99 were given back, and the merchant was told 5 and then 19.99');
  });

  it('refuses a webhook with a wrong signature, and takes a duplicate without doing anything', async () => {
    const { clink } = world;
    const { id, body } = await see.books.webhook('order.succeeded');
    const before = await see.books.counts();
    expect(await deliver(clink.webhookUrl, body.replace(id, 'evt_forged'), 'whsec_guessed')).toBe(401);
    expect(await deliver(clink.webhookUrl, body, clink.signingSecret)).toBe(200);
    expect(await see.books.counts()).toEqual(before);
  });

  it('loses a wake-up, and the schedule alone gets the task done', async () => {
    const { clink, sql, queues } = world;
    const { merchantOrderId, checkoutUrl } = await shop.buy(CUSTOMER);
    await see.nothingLeftToDo();
    await eventually(async () => expect(await queues.messagesIn('ClinkPayments-WakeUpsQueue')).toBe(0));
    const undelivered = await clink.withoutDelivery(() => clink.pay(checkoutUrl));
    for (const event of undelivered) await receiveAndDie(sql, JSON.stringify(event));
    expect(await see.books.unfinishedTasks()).toEqual(['fulfill']);
    const since = performance.now();
    await see.shows(merchantOrderId, { paymentStatus: 'paid', fulfillmentStatus: 'fulfilled' });
    say(`delivered ${((performance.now() - since) / 1000).toFixed(0)} s later, at the schedule's next minute`);
  });

  it('rotates the signing secret while webhooks flow, and refuses none of them', async () => {
    const { clink, secrets } = world;
    const before = new Set((await clink.deliveries()).map(({ eventId }) => eventId));
    const [oldSecret, newSecret] = [clink.signingSecret, newSigningSecret()];
    const traffic = startTraffic(shop, clink);
    await traffic.more(2);
    await secrets.put(outputs.ClinkWebhookSecret, newSecret);
    await traffic.more(2);
    clink.signingSecret = newSecret;
    await traffic.more(3);
    const paid = await traffic.stop();

    const flowed = await eventually(async () => {
      const deliveries = (await clink.deliveries()).filter(({ eventId }) => !before.has(eventId));
      expect(deliveries.filter(({ state }) => state !== 'delivered')).toEqual([]);
      return deliveries;
    });
    expect(flowed.filter(({ attempts, lastResult }) => attempts !== 1 || lastResult !== '200')).toEqual([]);
    const { body } = await see.books.webhook('order.created');
    for (const secret of [oldSecret, newSecret]) expect(await deliver(clink.webhookUrl, body, secret)).toBe(200);
    for (const id of paid) await see.delivered(id);
    say(`${flowed.length} webhooks, each taken at its first delivery; ${paid.length} orders paid and delivered`);
  });

  it('deploys a second version over the first while webhooks flow, and loses none', async () => {
    const { clink, context } = world;
    const { body } = await see.books.webhook('order.created');
    const late = () => deliver(clink.webhookUrl, body, clink.signingSecret, { ageMs: 8 * 60_000 });
    expect(await late()).toBe(401);

    const traffic = startTraffic(shop, clink);
    await traffic.more(1);
    world = { ...world, context: { ...context, replayWindowMinutes: '10', workersPerTask: '5' } };
    expect(await world.cdk.deploy('deploy-second', world.context)).toEqual(outputs);
    const meanwhile = traffic.paid.length;
    await traffic.more(2);
    const paid = await traffic.stop();

    await eventually(async () => expect(await late()).toBe(200));
    for (const id of paid) await see.delivered(id);
    const sent = (await clink.events()).map(({ id }) => id).sort();
    await eventually(async () => expect((await see.books.processedEvents()).sort()).toEqual(sent));
    const retried = (await clink.deliveries()).filter(({ attempts }) => attempts > 1).length;
    say(`${meanwhile} orders paid meanwhile; all ${sent.length} events are processed, ${retried} after a retry`);
  });

  it('leaves nothing undone, nothing for a person to look at, and no call that the merchant refused', async () => {
    await see.nothingLeftToDo();
    expect(await see.books.trouble()).toEqual([]);
    expect(world.merchant.refused).toEqual([]);
  });

  it('destroys the stack, and keeps the secrets and the books', async () => {
    await world.cdk.destroy(world.context);
    expect((await shop.ask(await world.signIn.tokenFor(CUSTOMER))).status).toBe(404);
    for (const name of [outputs.ClinkApiKeySecret, outputs.ClinkWebhookSecret, outputs.MerchantSecret]) {
      expect(await world.secrets.exists(name)).toBe(true);
    }
    say(`${(await see.books.counts())?.orders} orders are still in the database`);
  });
});

/** One line of the record of what was done. */
function say(what: string): void {
  process.stdout.write(`    · ${what}\n`);
}
