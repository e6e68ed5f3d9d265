import { setTimeout as wait } from 'node:timers/promises';
import type { Decimal } from 'decimal.js';
import { decimalsOf } from '../../bin/local/clink-double/money.ts';
import { Money } from '../../functions/decisions/money.ts';
import type { Backend } from './backend.ts';
import type { Clink, Payment } from './clink.ts';
import type { Randomness } from './randomness.ts';
import { command } from './request.ts';
import { type Purchase, Shopper } from './shopper.ts';
import { type Act, newTale } from './tale.ts';
import type { Tally } from './tally.ts';

export interface Scene {
  readonly backend: Backend;
  readonly clink: Clink;
  readonly tally: Tally;
}

/** Buys and lets happen what the tale says, sometimes before the backend has noticed what came before. */
export async function liveThrough(scene: Scene, idempotencyKey: string, randomness: Randomness): Promise<void> {
  const { backend, clink, tally } = scene;
  const shopper = new Shopper(backend, tally, randomness.fork());
  const purchase = await shopper.buy(idempotencyKey);
  const clinkSessionId = purchase && clink.sessionAt(purchase.checkoutUrl);
  if (!purchase || !clinkSessionId) return;
  let paid: Payment | null = null;
  for (const act of newTale(randomness)) {
    await pause(shopper, purchase, randomness);
    paid = (await perform(scene, act, { ...purchase, clinkSessionId, paid }, randomness)) ?? paid;
  }
  await pause(shopper, purchase, randomness);
  await shopper.look(purchase.merchantOrderId);
}

async function pause(shopper: Shopper, { merchantOrderId }: Purchase, randomness: Randomness): Promise<void> {
  if (randomness.chance(0.3)) return;
  await wait(randomness.chance(0.5) ? randomness.whole(0, 300) : randomness.whole(300, 3_000));
  if (randomness.chance(0.5)) await shopper.look(merchantOrderId);
}

type Place = Purchase & { readonly clinkSessionId: string; readonly paid: Payment | null };

async function perform(scene: Scene, act: Act, place: Place, randomness: Randomness): Promise<Payment | null> {
  const { clink, tally } = scene;
  const webhooks = randomness.chance(0.1) ? 'hold' : 'send';
  if (webhooks === 'hold') tally.fault('webhooks held back');
  const control = (path: string, body: object) =>
    command('POST', `${clink.url}/control/${path}`, { ...body, webhooks });
  const session = `sessions/${place.clinkSessionId}`;
  switch (act.act) {
    case 'expire':
      await control(`${session}/expire`, {});
      return null;
    case 'pay':
    case 'verify': {
      const { orderId: clinkOrderId } = await control(`${session}/${act.act}`, { outcome: act.outcome });
      return act.outcome === 'success' ? clink.paymentOf(String(clinkOrderId)) : null;
    }
    case 'pay_lost_session': {
      const lost = clink.sessionsOf(place.merchantOrderId).find((id) => id !== place.clinkSessionId);
      if (lost) await control(`sessions/${lost}/pay`, { outcome: 'success' });
      if (lost) tally.fault('a lost session paid');
      return null;
    }
    case 'refund': {
      const { paid } = place;
      if (!paid) return null;
      const amount = amountOf(act.what, paid);
      if (amount.lessThanOrEqualTo(0)) return null;
      const currency = act.what === 'other_currency' ? 'CHF' : paid.currency;
      await control(`orders/${paid.clinkOrderId}/refund`, { amount: amount.toFixed(), currency });
      tally.refunds += 1;
      if (currency === paid.currency) paid.givenBack = paid.givenBack.plus(amount);
      return null;
    }
  }
}

function amountOf(what: Extract<Act, { act: 'refund' }>['what'], { price, currency, givenBack }: Payment): Decimal {
  if (what === 'price') return price;
  if (what === 'rest') return price.minus(givenBack);
  return new Money(price.dividedBy(3).toFixed(decimalsOf(currency) ?? 0, Money.ROUND_DOWN));
}
