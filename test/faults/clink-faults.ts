import type { Clink } from './clink.ts';
import type { Fault, Faults } from './fault.ts';
import type { Randomness } from './randomness.ts';
import { command } from './request.ts';

/** What Clink does to the next calls of its API, and to the webhooks that it makes from now on. */
export function clinkFaults({ url }: Clink, randomness: Randomness): Faults {
  const answers = (kind: string, script: () => object): Fault => ({
    kind,
    async strike() {
      const [method, times] = [randomness.pick(['GET', 'POST', '*']), randomness.whole(1, 5)];
      await command('PUT', `${url}/control/answers`, { method, path: '*', times, ...script() });
      return times;
    },
  });
  const deliveries = (kind: string, knobs: () => object): Fault => ({
    kind,
    async strike() {
      await command('PUT', `${url}/control/delivery`, knobs());
      return 1;
    },
  });
  const failure = () => randomness.pick([400, 404, 408, 409, 429, 500, 502, 503]);

  return [
    answers('Clink answers late', () => ({ delayMs: randomness.whole(500, 5_000) })),
    answers('Clink answers with a failure', () => ({ status: failure(), body: '<html>no</html>' })),
    answers('Clink answers 200 and another code', () => ({
      status: 200,
      body: { code: randomness.pick([401, 429, 500, 1001]), msg: 'no', data: null },
    })),
    answers('Clink answers with something unreadable', () => ({ status: 200, body: '{"code":200,"data":' })),
    answers('Clink does it and never answers', () => ({ lost: true })),
    answers('Clink does it and hangs', () => ({ delayMs: 15_000, times: 1 })),
    deliveries('webhooks late', () => ({ delayMs: randomness.whole(200, 4_000) })),
    deliveries('webhooks doubled', () => ({ duplicates: randomness.whole(1, 3) })),
    deliveries('webhooks reordered', () => ({ reorder: true, duplicates: 1, delayMs: randomness.whole(0, 1_000) })),
    deliveries('webhooks with equal times', () => ({ equalTimestamps: true, reorder: randomness.chance(0.5) })),
    deliveries('refund statuses late', () => ({ refundStatusDelayMs: randomness.whole(1_000, 4_000) })),
    deliveries('webhooks as usual', () => ({})),
    {
      kind: 'held webhooks let go',
      strike: async () => Number((await command('POST', `${url}/control/deliveries/release`)).released),
    },
  ];
}

/** Ends all trouble that was asked for. */
export async function calmClink({ url }: Clink): Promise<void> {
  await command('DELETE', `${url}/control/answers`);
  await command('PUT', `${url}/control/delivery`, {});
  await command('POST', `${url}/control/deliveries/release`);
}
