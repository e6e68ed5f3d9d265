import type { Deliver, History } from './histories.ts';

/** Events per second, with `atOnce` histories under way at any time. */
export async function eventsPerSecond(deliver: Deliver, histories: readonly History[], atOnce: number) {
  const next = histories.values();
  const begun = performance.now();
  await Promise.all(Array.from({ length: atOnce }, () => deliverEach(deliver, next)));
  const events = histories.reduce((sum, { length }) => sum + length, 0);
  return events / ((performance.now() - begun) / 1000);
}

async function deliverEach(deliver: Deliver, histories: Iterable<History>): Promise<void> {
  for (const history of histories) for (const delivery of history) await deliver(delivery);
}

/** How long each delivery takes by itself, in milliseconds. */
export async function latencies(deliver: Deliver, histories: readonly History[]): Promise<number[]> {
  const times: number[] = [];
  for (const delivery of histories.flat()) times.push(await timeOf(() => deliver(delivery)));
  return times;
}

export async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
