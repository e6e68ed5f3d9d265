import { setTimeout as wait } from 'node:timers/promises';
import { STRANGER } from './books.ts';
import type { Randomness } from './randomness.ts';
import { command } from './request.ts';
import { liveThrough, type Scene } from './story.ts';

/** Every so many orders, another shop at the same Clink account sells something. */
const STRANGER_EVERY = 25;

/** Begins `orders` stories, spread over the seconds, and waits for the end of all. */
export async function shopUntilAllIsBought(
  scene: Scene,
  { orders, seconds, randomness }: { orders: number; seconds: number; randomness: Randomness },
): Promise<void> {
  const { tally } = scene;
  const stories: Promise<void>[] = [];
  for (let n = 0; n < orders; n += 1) {
    tally.begun += 1;
    stories.push(
      liveThrough(scene, `buy-${n}`, randomness.fork()).then(
        () => tally.storyEnded(),
        (error: unknown) => tally.violation(`story ${n} broke off: ${String(error)}`),
      ),
    );
    if (n % STRANGER_EVERY === 0) await sellAsStranger(scene, n);
    await wait((seconds * 1000 * randomness.whole(50, 150)) / (100 * orders));
  }
  await Promise.all(stories);
}

/** Its webhooks come to us too, and wait for an order that never appears. */
async function sellAsStranger({ clink }: Scene, n: number): Promise<void> {
  const session = `${clink.url}/control/sessions/sess_${STRANGER}${n}`;
  const price = { amountSubtotal: 10, originalCurrency: 'USD' };
  await command('PUT', session, { ...price, status: 'open', merchantReferenceId: `${STRANGER}${n}` });
  await command('POST', `${session}/pay`, { outcome: 'success' });
}
