import fc from 'fast-check';
import { MemoryStore, type Rules } from '../support/memory-store.ts';
import { endOf } from './end.ts';
import { breaches } from './invariants.ts';
import { type RandomWorld, randomWorlds, type Step } from './random-worlds.ts';
import { snapshotOfStore } from './snapshot.ts';
import type { World } from './world.ts';

/** Long histories that nobody wrote down. Each function throws fast-check's report with the shrunk history and the seed. */

/** After any arrival, of any world: the invariants hold at every step, and so they do at the end. */
export function holdInvariants(runs: number, seed: number, rules?: Rules): void {
  fc.assert(
    fc.property(randomWorlds({ wild: true }), ({ world, steps }) => void arrive(world, steps, rules)),
    { numRuns: runs, seed },
  );
}

/** A world in which no first arrival wins anything ends as it does when its events arrive in time. */
export function endTheSame(runs: number, seed: number, rules?: Rules): void {
  fc.assert(
    fc.property(randomWorlds({ wild: false }), ({ world, steps }) => {
      const inTime: Step[] = [...world.events]
        .sort((a, b) => (a.created ?? 0) - (b.created ?? 0))
        .map((event) => ({ do: 'deliver', event }));
      const [expected, end] = [inTime, steps].map((order) => arrive(world, order, rules));
      if (end !== expected) throw new Error(`ends in:\n${end}\nand in time in:\n${expected}`);
    }),
    { numRuns: runs, seed },
  );
}

function arrive(world: World, steps: RandomWorld['steps'], rules?: Rules): string {
  const store = new MemoryStore(world.orders, rules ? { rules } : {});
  let before = snapshotOfStore(store);
  const done: string[] = [];
  const check = () => {
    const now = snapshotOfStore(store);
    const found = breaches(now, before);
    if (found.length > 0) throw new Error(`${found.join('\n')}\nafter\n${done.join('\n')}`);
    before = now;
  };
  for (const step of steps) {
    done.push(take(store, world, step));
    check();
  }
  store.drain(world.truth);
  done.push('everything that was left to do');
  check();
  return endOf(before);
}

function take(store: MemoryStore, { truth }: World, step: Step): string {
  if (step.do === 'deliver') return `${step.event.id} -> ${store.deliver(step.event)?.reason ?? 'known'}`;
  const key = placed(store.openQuestions, step.place);
  if (key === undefined) return 'nothing to run';
  store.run(key, truth);
  return `ran ${key}`;
}

/** The question at this place, counted round and round in an order that every store has. */
export function placed(keys: readonly string[], place: number): string | undefined {
  return [...keys].sort()[place % Math.max(1, keys.length)];
}
