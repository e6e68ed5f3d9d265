import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { signedInPayload } from '../http/payload.ts';
import { casesOf, eventStatus } from '../support/stored.ts';
import { orderBody, refundBody, sessionBody } from '../support/webhooks.ts';
import { type Stage, startStage } from './stage.ts';

/** What hostile input has found, each as the smallest request that showed it. */

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

async function deliver(event: ReturnType<typeof orderBody>) {
  const answer = await stage.backend.deliver(event);
  return { ...answer, event: await eventStatus(stage.backend.db.owner, event.id) };
}

const STORED = { statusCode: 200, body: 'ok', event: 'processed' };
const ACROSS_THE_CUT = `${'x'.repeat(63)}😀`;

describe('evidence is text that PostgreSQL can hold', () => {
  test.each(['\ud800', '\0', ACROSS_THE_CUT])('an amount of %j', async (amountTotal) => {
    const order = await stage.backend.checkout();
    const event = orderBody('order.succeeded', order, `order_${crypto.randomUUID()}`, { amountTotal });
    expect(await deliver(event)).toEqual(STORED);
    expect(await casesOf(stage.backend.db.owner, order.id)).toMatchObject([{ reason: 'invalid_refund_payment_basis' }]);
  });

  test.each(['\ud800', '\0', ACROSS_THE_CUT])('a refund of %j', async (amount) => {
    const order = await stage.backend.checkout();
    const clinkOrderId = `order_${crypto.randomUUID()}`;
    await deliver(orderBody('order.succeeded', order, clinkOrderId));
    expect(await deliver(refundBody(clinkOrderId, `refund_${crypto.randomUUID()}`, amount))).toEqual(STORED);
    expect(await casesOf(stage.backend.db.owner, order.id)).toMatchObject([{ reason: 'invalid_refund_record' }]);
  });

  test('a currency and a session status cut in the middle of a character', async () => {
    const order = await stage.backend.checkout();
    const paid = { paymentCurrency: ACROSS_THE_CUT };
    expect(await deliver(orderBody('order.succeeded', order, `order_${crypto.randomUUID()}`, paid))).toEqual(STORED);
    expect(await deliver(sessionBody('session.complete', order, { status: ACROSS_THE_CUT }))).toEqual(STORED);
  });
});

describe('the log holds no text from outside', () => {
  test('an id and a type that are none', async () => {
    const order = await stage.backend.checkout();
    stage.watch.take();
    await deliver({ ...orderBody('order.created', order, 'x', { id: 'a person@leak.test' }), type: 'Pay me\nnow' });
    expect(stage.watch.take().lines).toEqual([
      { code: 'webhook_received', fields: { eventId: null, eventType: null, outcome: 'stored' } },
    ]);
  });
});

describe('a blank subject is nobody', () => {
  test.each([' ', '\u00a0', '\u3000\u2028'])('%j buys nothing, and Clink is not asked', async (sub) => {
    const before = await stage.count();
    const body = JSON.stringify({ productId: 'poster', quantity: 1 });
    const { status } = await stage.send.checkout(
      signedInPayload({ sub }, { body, headers: { 'content-type': 'application/json' } }),
    );
    expect(status).toBe(401);
    expect(await stage.count()).toEqual(before);
  });
});
