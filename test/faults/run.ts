import { setTimeout as wait } from 'node:timers/promises';
import { Backend } from './backend.ts';
import { startClink } from './clink.ts';
import { calmClink, clinkFaults } from './clink-faults.ts';
import { startDatabase } from './database.ts';
import { trouble } from './fault.ts';
import { beginShopping } from './load.ts';
import { machineFaults } from './machine-faults.ts';
import { calmMerchant, merchantFaults } from './merchant-faults.ts';
import { Observer } from './observer.ts';
import { queueFaults } from './queue-faults.ts';
import { startQueues } from './queues.ts';
import type { Randomness } from './randomness.ts';
import { report, startProgress } from './report.ts';
import { settle } from './settle.ts';
import { Tally } from './tally.ts';

export interface RunOptions {
  readonly folder: string;
  readonly orders: number;
  readonly seconds: number;
  readonly randomness: Randomness;
}

/** Shops while everything breaks, lets it come to rest, and compares all books. Returns the number of violations. */
export async function run({ folder, orders, seconds, randomness }: RunOptions): Promise<number> {
  const tally = new Tally();
  await using teardown = new AsyncDisposableStack();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, () => void teardown.disposeAsync().finally(() => process.exit(130)));
  }
  const database = await startDatabase(folder);
  teardown.defer(() => database.close());
  const clink = await startClink(folder, () => `${backend.stack.apiUrl}/api/webhooks/clink`);
  teardown.defer(() => clink.close());
  const queues = await startQueues();
  teardown.defer(() => queues.close());
  const backend = new Backend(folder, { database, clink, queues }, tally);
  teardown.defer(() => backend.kill());
  await backend.start(0);

  const stopProgress = startProgress(tally, orders);
  teardown.defer(() => stopProgress());
  const observer = new Observer(database);
  const calm = new AbortController();
  const { signal } = calm;
  const machines = { backend, clink, database, randomness: randomness.fork() };
  const traffic = (least: number, most: number) =>
    ({ tally, signal, randomness: randomness.fork(), pauseMs: [least, most] }) as const;
  const troubles = [
    trouble(machineFaults(machines), traffic(1_000, 6_000)),
    trouble(clinkFaults(clink, randomness.fork()), traffic(200, 1_500)),
    trouble(merchantFaults(backend, randomness.fork()), traffic(300, 2_000)),
    trouble(queueFaults(queues, randomness.fork()), traffic(500, 3_000)),
    observer.watch((seconds * 1000) / 4, signal),
  ];
  const load = { orders, seconds, randomness: randomness.fork() };
  const [shopping] = await Promise.all([beginShopping({ backend, clink, tally }, load), wait(seconds * 1000)]);
  calm.abort();
  await Promise.all(troubles);
  if (!backend.isRunning) await backend.start(0);
  await calmClink(clink);
  await calmMerchant(backend);
  queues.calm();
  console.log('  no more faults');
  await shopping.ended;
  await calmClink(clink);
  const retried = await settle(database, clink, tally);
  return report({ tally, clink, retried, ...(await observer.compare(tally, clink, backend)) });
}
