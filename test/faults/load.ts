import { setTimeout as wait } from 'node:timers/promises';
import { STRANGER } from './books.ts';
import type { Randomness } from './randomness.ts';
import { command } from './request.ts';
import { liveThrough, type Scene } from './story.ts';

/** Every so many orders, another shop at the same Clink account sells something. */
const STRANGER_EVERY = 25;

/** Shoppers at a time. More would measure how long the machine's queues can get. */
const AT_ONCE = 60;

export interface Load {
  readonly orders: number;
  /** Over which they begin, unless the shoppers before them take longer. */
  readonly seconds: number;
  readonly randomness: Randomness;
}

/** Begins all stories. Resolves when the last has begun, with what resolves when all have ended. */
export async function beginShopping(
  scene: Scene,
  { orders, seconds, randomness }: Load,
): Promise<{ readonly ended: Promise<unknown> }> {
  const { tally } = scene;
  const stories = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let n = 0; n < orders; n += 1) {
    while (stories.size >= AT_ONCE) await Promise.race(stories);
    tally.begun += 1;
    const story = liveThrough(scene, `buy-${n}`, randomness.fork())
      .catch((error: unknown) => tally.violation(`story ${n} broke off: ${String(error)}`))
      .finally(() => {
        stories.delete(story);
        tally.finished += 1;
      });
    stories.add(story);
    if (n % STRANGER_EVERY === 0) await sellAsStranger(scene, n);
    const nextAt = ((n + randomness.next()) * seconds * 1000) / orders;
    await wait(Math.max(0, startedAt + nextAt - performance.now()));
  }
  return { ended: Promise.all(stories) };
}

/** Its webhooks come to us too, and wait for an order that never appears. */
async function sellAsStranger({ clink }: Scene, n: number): Promise<void> {
  const session = `${clink.url}/control/sessions/sess_${STRANGER}${n}`;
  const price = { amountSubtotal: 10, originalCurrency: 'USD' };
  await command('PUT', session, { ...price, status: 'open', merchantReferenceId: `${STRANGER}${n}` });
  await command('POST', `${session}/pay`, { outcome: 'success' });
}
