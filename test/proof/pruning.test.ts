import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../support/memory-store.ts';
import { placed } from './random-orders.ts';
import { randomWorlds } from './random-worlds.ts';
import { comparable, snapshotOfStore } from './snapshot.ts';

const SEED = 20_260_601;
const migration = readFileSync(join(import.meta.dirname, '../../migrations/0005_retention.sql'), 'utf8');
const lists = [...migration.matchAll(/task IN \(([^)]*)\)/g)].map(([, list = '']) => list.match(/\w+/g) ?? []);
const pruned = new Set<string>(lists[0]);

/** All that is left to do for the merchant and for a pager is done, and what may go is gone at once. Returns its keys. */
function finishAndPrune(store: MemoryStore, mayGo: ReadonlySet<string>): string[] {
  const gone: string[] = [];
  for (const [key, task] of store.tasks) {
    const isCall = ['fulfill', 'apply_refund_policy', 'manual_reconciliation', 'page_outbox_failure'].includes(
      task.task,
    );
    if (isCall && task.status === 'pending') store.tasks.set(key, { ...task, status: 'succeeded', due: false });
    if (store.tasks.get(key)?.status !== 'succeeded' || !mayGo.has(task.task)) continue;
    store.tasks.delete(key);
    gone.push(key);
  }
  return gone;
}

interface Runs {
  readonly runs: number;
  /** Does not look for a shorter history that fails as well. */
  readonly endOnFailure?: boolean;
}

/** Random histories beside each other, one store pruned after every step, the other never. */
function holdPruned(mayGo: ReadonlySet<string>, { runs, endOnFailure = false }: Runs): void {
  fc.assert(
    fc.property(randomWorlds({ wild: true }), ({ world, steps }) => {
      const [whole, lean] = [new MemoryStore(world.orders), new MemoryStore(world.orders)];
      const gone = new Set<string>();
      for (const step of steps) {
        const key = step.do === 'run' ? placed(whole.openQuestions, step.place) : undefined;
        for (const store of [whole, lean]) {
          if (step.do === 'deliver') store.deliver(step.event);
          else if (key !== undefined) store.run(key, world.truth);
        }
        for (const [key, { status }] of lean.tasks) {
          if (gone.has(key) && status === 'pending') throw new Error(`${key} was pruned and is asked for again`);
        }
        for (const key of finishAndPrune(lean, mayGo)) gone.add(key);
        const [{ tasks: _, ...all }, { tasks: __, ...left }] = [whole, lean].map((store) =>
          comparable(snapshotOfStore(store)),
        ) as [Books, Books];
        expect(left).toEqual(all);
      }
    }),
    { numRuns: runs, seed: SEED, includeErrorInReport: true, endOnFailure },
  );
}

type Books = ReturnType<typeof comparable>;

describe('pruning finished tasks at any moment', () => {
  it('changes nothing that is decided, and no pruned task is ever asked for again', () =>
    holdPruned(pruned, { runs: 150 }));

  it.each(['refund_reconcile', 'manual_reconciliation'])('would not be so for %s', (task) => {
    expect(() => holdPruned(new Set([task]), { runs: 2_000, endOnFailure: true })).toThrow(`${task}:`);
  });

  it('is of the same tasks in the index as in the statement', () => {
    expect(lists).toHaveLength(2);
    expect(lists[1]).toEqual(lists[0]);
  });
});
