import { MERCHANT_TASKS } from '../../bin/local/shop/merchant-ledger.ts';
import type { Backend } from './backend.ts';
import type { Fault, Faults } from './fault.ts';
import type { Randomness } from './randomness.ts';
import { command, request } from './request.ts';

/** What the merchant's endpoints do to the next calls. They are in the stack's process: nothing happens while that is down. */
export function merchantFaults(backend: Backend, randomness: Randomness): Faults {
  const calls = (kind: string, answer: () => object): Fault => ({
    kind,
    async strike() {
      const times = randomness.whole(1, 4);
      const body = { task: randomness.pick(MERCHANT_TASKS), times, ...answer() };
      const done = await request('PUT', `${backend.stack.shopUrl}/control/calls`, { body, timeoutMs: 2_000 });
      return done?.status === 200 ? times : 0;
    },
  });
  return [
    calls('merchant fails', () => ({ status: randomness.pick([400, 404, 429, 500, 503]) })),
    calls('merchant refuses for good', () => ({ status: randomness.pick([410, 422]), times: 1 })),
    calls('merchant answers late', () => ({ delayMs: randomness.whole(500, 5_000) })),
    calls('merchant does it and hangs', () => ({ delayMs: 20_000, times: 1 })),
    calls('merchant does it and says no', () => ({ status: 500, delayMs: randomness.whole(0, 1_000) })),
  ];
}

export async function calmMerchant(backend: Backend): Promise<void> {
  await command('DELETE', `${backend.stack.shopUrl}/control/calls`);
}
