import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { log } from '../../functions/platform/log.ts';
import { SecretUnavailableError } from '../../functions/platform/secrets-manager.ts';
import { T } from '../support/clink-events.ts';
import { deliverAll } from '../support/payments.ts';
import { type Answer, openShop, type Shop } from '../support/shop.ts';
import { casesOf, eventStatus, journalOf, storedCheckout, storedOrder, tasksOf } from '../support/stored.ts';
import { orderBody } from '../support/webhooks.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const SAID_BY_CLINK = 'blocked: shopper@example.test used sk_live_123';

async function orderUnder(key: string): Promise<string> {
  const rows = await shop.backend.db.owner<{ id: string }[]>`
    SELECT id FROM merchant_orders WHERE idempotency_key = ${key}`;
  expect(rows).toHaveLength(1);
  return rows[0]?.id ?? '';
}

function refusal(status: number, code: string) {
  return { status, body: { error: { code, message: expect.any(String) } } };
}

const UNAVAILABLE = refusal(502, 'payment_provider_unavailable');

async function expectUntouched(id: string): Promise<void> {
  expect(await storedCheckout(shop.backend.db.owner, id)).toMatchObject({
    paymentStatus: 'created',
    clinkSessionId: null,
    clinkCheckoutUrl: null,
  });
}

/** The same request again: it must give a URL, for the order that the first one made. */
async function expectRetryWorks(key: string): Promise<Answer> {
  const id = await orderUnder(key);
  const retried = await shop.buy({ key });
  expect(retried).toMatchObject({
    status: 200,
    body: { merchantOrderId: id, checkoutUrl: expect.stringMatching(/^http/) },
  });
  expect(await orderUnder(key)).toBe(id);
  return retried;
}

/** Two events that pay for the order in the given session. */
async function payIn(sessionId: string, id: string, clinkOrderId: string) {
  const order = { id, sessionId };
  const created = orderBody('order.created', order, clinkOrderId, { created: T });
  const succeeded = orderBody('order.succeeded', order, clinkOrderId, { created: T + 1000 });
  await deliverAll(shop.backend, created, succeeded);
  return { created, succeeded };
}

describe('Clink does not give a session', () => {
  it.each([
    ['HTTP 500', { status: 500, body: { code: 500, msg: SAID_BY_CLINK } }, 'payment_provider_unavailable'],
    ['HTTP 401 in plain text', { status: 401, body: SAID_BY_CLINK }, 'payment_provider_unavailable'],
    ['HTTP 200 with code 500', { body: { code: 500, msg: SAID_BY_CLINK } }, 'payment_provider_unavailable'],
    ['HTTP 200 with a business code', { body: { code: 60014, msg: SAID_BY_CLINK } }, 'payment_provider_refused'],
    ['HTTP 200 with no JSON', { body: SAID_BY_CLINK }, 'payment_provider_unavailable'],
    [
      'a session without a URL',
      { body: { code: 200, msg: SAID_BY_CLINK, data: { sessionId: 'sess_no_url' } } },
      'payment_provider_unavailable',
    ],
    ['a lost answer', { lost: true as const }, 'payment_provider_unavailable'],
  ])('%s: 502 with a stable code, the order stays created, the same key tries again', async (what, answer, code) => {
    const logged = [vi.spyOn(log, 'info'), vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')];
    await shop.nextAnswer(answer);
    const refused = await shop.buy({ key: `key-of-${what.replaceAll(' ', '-')}` });

    expect(refused).toMatchObject(refusal(502, code));
    const said = JSON.stringify([refused, logged.flatMap(({ mock }) => mock.calls)]);
    expect(said).not.toMatch(/blocked|@example\.test|sk_|key-of-|sess_/);
    await expectUntouched(await orderUnder(`key-of-${what.replaceAll(' ', '-')}`));
    await expectRetryWorks(`key-of-${what.replaceAll(' ', '-')}`);
  });

  it('an answer that comes too late: 502, and the late answer changes nothing', async () => {
    const held = shop.gate.hold();
    expect(await shop.buy({ key: 'late' }, { clink: shop.clink({ timeoutMs: 300 }) })).toMatchObject(UNAVAILABLE);
    const { sessionId: late } = await held.answered;
    const id = await orderUnder('late');
    await expectUntouched(id);
    held.release();

    await expectRetryWorks('late');
    const [first, second] = await shop.sessionsOf(id);
    expect(first).toBe(late);
    expect(await storedCheckout(shop.backend.db.owner, id)).toMatchObject({ clinkSessionId: second });
  });

  it.each([
    ['the secret cannot be read', () => Promise.reject(new SecretUnavailableError('secret clink could not be read'))],
    ['there is no key in it', async () => []],
  ])('%s: 502, Clink is not called, and the same key tries again', async (what, apiKeys) => {
    const calls = shop.gate.calls.length;
    expect(await shop.buy({ key: what.replaceAll(' ', '-') }, { clink: shop.clink({ apiKeys }) })).toMatchObject(
      UNAVAILABLE,
    );
    expect(shop.gate.calls).toHaveLength(calls);
    await expectUntouched(await orderUnder(what.replaceAll(' ', '-')));
    await expectRetryWorks(what.replaceAll(' ', '-'));
  });

  it('the email does not fit the reference that Clink knows: asked again with the reference alone', async () => {
    const customerId = 'customer_moved';
    expect(await shop.buy({ customerId, email: 'old@example.test' })).toMatchObject({ status: 200 });
    const calls = shop.gate.calls.length;
    const moved = await shop.buy({ customerId, email: 'new@example.test' });

    expect(moved).toMatchObject({ status: 200, body: { checkoutUrl: expect.stringMatching(/^http/) } });
    const [refused, accepted] = shop.gate.calls.slice(calls).map(({ body }) => JSON.parse(body) as object);
    expect(refused).toMatchObject({ customerEmail: 'new@example.test' });
    expect(refused).toEqual({ ...accepted, customerEmail: 'new@example.test' });
    expect(accepted).toMatchObject({ referenceCustomerId: customerId });
    expect(shop.gate.calls).toHaveLength(calls + 2);
    expect(await shop.sessionsOf(String(moved.body.merchantOrderId))).toHaveLength(1);
  });

  it('the reference alone is refused as well: 502, and no third call', async () => {
    const body = { code: 400, msg: 'CUSTOMER_IDENTIFIER_NOT_MATCHED', data: null };
    await shop.nextAnswer({ body });
    await shop.nextAnswer({ body });
    const calls = shop.gate.calls.length;
    expect(await shop.buy({ key: 'refused-twice' })).toMatchObject(refusal(502, 'payment_provider_refused'));
    expect(shop.gate.calls).toHaveLength(calls + 2);
    await expectUntouched(await orderUnder('refused-twice'));
  });
});

describe('a session whose answer was lost', () => {
  it('its events wait while the order has no session, and go to review once it has another', async () => {
    const { backend } = shop;
    const { owner } = backend.db;
    await shop.nextAnswer({ lost: true });
    expect(await shop.buy({ key: 'orphan' })).toMatchObject(UNAVAILABLE);
    const id = await orderUnder('orphan');
    const [orphan = ''] = await shop.sessionsOf(id);

    const { created, succeeded } = await payIn(orphan, id, 'order_orphan');
    expect(await journalOf(owner, id)).toEqual(['session_not_saved_yet', 'session_not_saved_yet']);
    expect(await eventStatus(owner, created.id)).toBe('pending');
    expect(await casesOf(owner, id)).toEqual([]);
    await expectUntouched(id);

    await expectRetryWorks('orphan');
    await backend.runDue();
    expect(await eventStatus(owner, created.id)).toBe('processed');
    expect(await eventStatus(owner, succeeded.id)).toBe('processed');
    expect(await casesOf(owner, id)).toMatchObject([{ reason: 'order_event_session_mismatch', status: 'open' }]);
    expect(await storedOrder(owner, id)).toMatchObject({ paymentStatus: 'pending', refundablePaidAmount: null });
    expect(await tasksOf(owner, id)).not.toContain('fulfill');
  });

  it('an event of it that comes afterwards goes to review at once', async () => {
    const { owner } = shop.backend.db;
    await shop.nextAnswer({ lost: true });
    await shop.buy({ key: 'late-orphan' });
    const id = await orderUnder('late-orphan');
    const [orphan = ''] = await shop.sessionsOf(id);
    await expectRetryWorks('late-orphan');

    await payIn(orphan, id, 'order_late_orphan');
    expect(await casesOf(owner, id)).toMatchObject([{ reason: 'order_event_session_mismatch' }]);
    expect(await storedOrder(owner, id)).toMatchObject({ paymentStatus: 'pending', currentClinkOrderId: null });
    expect(await tasksOf(owner, id)).toEqual(['manual_reconciliation']);
    await shop.backend.runDue();
  });
});

describe('a webhook that is faster than the checkout', () => {
  it('waits for the session to be saved, and then pays the order without another delivery', async () => {
    const { backend } = shop;
    const { owner } = backend.db;
    const wakeUp = vi.fn(async () => undefined);
    const held = shop.gate.hold();
    const answer = shop.buy({ key: 'faster' }, { wakeUp });
    const { sessionId, url } = await held.answered;
    const id = await orderUnder('faster');

    const { succeeded } = await payIn(sessionId, id, 'order_faster');
    expect(await backend.runOnce('reprocess_webhook')).toBe(2);
    expect(new Set(await journalOf(owner, id))).toEqual(new Set(['session_not_saved_yet']));
    expect(await eventStatus(owner, succeeded.id)).toBe('pending');
    await expectUntouched(id);
    expect(wakeUp).not.toHaveBeenCalled();

    held.release();
    expect(await answer).toMatchObject({ status: 200, body: { merchantOrderId: id, checkoutUrl: url } });
    expect(wakeUp).toHaveBeenCalledOnce();
    expect(await backend.runDue()).toEqual(['reprocess_webhook', 'reprocess_webhook', 'fulfill']);
    expect(await storedOrder(owner, id)).toMatchObject({ paymentStatus: 'paid', fulfillmentStatus: 'fulfilled' });
    expect(await storedCheckout(owner, id)).toMatchObject({ clinkSessionId: sessionId, clinkCheckoutUrl: url });
  });

  it('is not undone: saving the session leaves a status alone that has moved on', async () => {
    const { owner } = shop.backend.db;
    const held = shop.gate.hold();
    const answer = shop.buy({ key: 'moved-on' });
    await held.answered;
    const id = await orderUnder('moved-on');
    await owner`UPDATE merchant_orders SET payment_status = 'action_required' WHERE id = ${id}`;
    held.release();
    expect(await answer).toMatchObject({ status: 200 });
    expect(await storedOrder(owner, id)).toMatchObject({ paymentStatus: 'action_required' });
  });
});

describe('a second request while the first one asks Clink', () => {
  it('waits, and gets the URL that the first one got', async () => {
    const held = shop.gate.hold();
    const first = shop.buy({ key: 'waiting' });
    await held.answered;

    const waits = Promise.withResolvers<void>();
    const wait = async () => {
      waits.resolve();
      await setImmediate();
    };
    const second = shop.buy({ key: 'waiting' }, { wait });
    await waits.promise;
    held.release();
    expect(await second).toEqual(await first);
    expect(await shop.sessionsOf(await orderUnder('waiting'))).toHaveLength(1);
  });

  it('gives up before the gateway would, and says that the same key may try again', async () => {
    const held = shop.gate.hold();
    const first = shop.buy({ key: 'patience' });
    await held.answered;

    let clock = 0;
    const wait = async (ms: number) => {
      clock += ms;
    };
    const second = await shop.buy({ key: 'patience' }, { now: () => clock, wait });
    expect(second).toMatchObject({ ...refusal(409, 'checkout_in_progress'), headers: { 'retry-after': '1' } });
    expect(clock).toBeLessThan(30_000);
    held.release();
    expect(await first).toMatchObject({ status: 200 });
    expect(await expectRetryWorks('patience')).toEqual(await first);
  });

  it('asks itself once the first one has failed', async () => {
    const held = shop.gate.hold();
    const first = shop.buy({ key: 'first-failed' }, { clink: shop.clink({ timeoutMs: 300 }) });
    await held.answered;
    const second = shop.buy({ key: 'first-failed' });
    expect(await first).toMatchObject(UNAVAILABLE);
    expect(await second).toMatchObject({ status: 200, body: { merchantOrderId: await orderUnder('first-failed') } });
    held.release();
  });

  it('asks itself once the lease of a first one that died is over', async () => {
    const asked = Promise.withResolvers<void>();
    const dead = {
      createSession() {
        asked.resolve();
        return new Promise<never>(() => undefined);
      },
    };
    void shop.buy({ key: 'died' }, { clink: dead });
    await asked.promise;
    const id = await orderUnder('died');
    await shop.backend.db.owner`
      UPDATE merchant_orders SET session_lease_until = now() - interval '1 second' WHERE id = ${id}`;
    await expectRetryWorks('died');
    expect(await shop.sessionsOf(id)).toHaveLength(1);
  });

  it('wins over a first one that comes back after its lease: both give the URL that was saved first', async () => {
    const { owner } = shop.backend.db;
    const held = shop.gate.hold();
    const first = shop.buy({ key: 'came-back' });
    await held.answered;
    const id = await orderUnder('came-back');
    await owner`UPDATE merchant_orders SET session_lease_until = now() - interval '1 second' WHERE id = ${id}`;
    const second = await expectRetryWorks('came-back');
    held.release();
    expect(await first).toEqual(second);
    expect(await storedCheckout(owner, id)).toMatchObject({ clinkCheckoutUrl: second.body.checkoutUrl });
  });

  it('keeps its turn when a first one whose lease ran out fails only now', async () => {
    const { owner } = shop.backend.db;
    const askedFirst = Promise.withResolvers<void>();
    const fail = Promise.withResolvers<never>();
    const clink = {
      createSession() {
        askedFirst.resolve();
        return fail.promise;
      },
    };
    const first = shop.buy({ key: 'failed-late' }, { clink });
    await askedFirst.promise;
    const id = await orderUnder('failed-late');
    await owner`UPDATE merchant_orders SET session_lease_until = now() - interval '1 second' WHERE id = ${id}`;
    const held = shop.gate.hold();
    const second = shop.buy({ key: 'failed-late' });
    await held.answered;

    fail.reject(new Error('nobody there'));
    expect(await first).toMatchObject(UNAVAILABLE);
    const [{ isTaken } = { isTaken: false }] = await owner<{ isTaken: boolean }[]>`
      SELECT session_lease_until > now() AS is_taken FROM merchant_orders WHERE id = ${id}`;
    expect(isTaken).toBe(true);
    held.release();
    expect(await second).toMatchObject({ status: 200 });
  });
});
