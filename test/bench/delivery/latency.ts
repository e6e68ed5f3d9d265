import type { DeliveringBackend } from './backend.ts';
import { type NewOrder, newOrders } from './deliveries.ts';

/** How long after the arrival of `order.succeeded` each of so many orders began to be delivered, in milliseconds. */
export async function latenciesOf(
  backend: DeliveringBackend,
  count: number,
  pace: 'one at a time' | 'at once',
): Promise<number[]> {
  const begun = new Map<string, PromiseWithResolvers<number>>();
  const sources = backend.startSources((merchantOrderId) => begun.get(merchantOrderId)?.resolve(performance.now()));
  const orders = await newOrders(backend.owner, count);
  for (const { id, created } of orders) {
    begun.set(id, Promise.withResolvers());
    await backend.deliver(created);
  }

  async function pay({ id, succeeded }: NewOrder): Promise<number> {
    const arrival = performance.now();
    await backend.deliver(succeeded);
    return ((await begun.get(id)?.promise) ?? Number.NaN) - arrival;
  }

  const latencies: number[] = [];
  if (pace === 'at once') latencies.push(...(await Promise.all(orders.map(pay))));
  else for (const order of orders) latencies.push(await pay(order));
  await sources.stop();
  return latencies;
}
