import fc from 'fast-check';
import { MemoryStore, RULES, type Rules } from '../support/memory-store.ts';
import type { ProofDatabase } from './database.ts';
import { DatabaseStore } from './database-store.ts';
import { breaches } from './invariants.ts';
import { placed } from './random-orders.ts';
import { randomWorlds } from './random-worlds.ts';
import { comparable, snapshotOfStore } from './snapshot.ts';

/** Few enough that random runs reach the last try of a task, its failure, its page, and its waking. */
const MAX_ATTEMPT = 2;

export interface Comparison {
  readonly runs: number;
  readonly seed: number;
  /** Of the store in memory alone. */
  readonly rules?: Rules;
  /** Does not look for a shorter history that fails as well. */
  readonly endOnFailure?: boolean;
}

/**
 * Runs random histories on the store in memory and on PostgreSQL through the real flows and workers, and compares everything
 * that is stored after every step. Throws fast-check's report. Returns the number of steps that were compared.
 */
export async function holdStoreToDatabase(
  db: ProofDatabase,
  { runs, seed, rules = RULES, endOnFailure = false }: Comparison,
): Promise<number> {
  const app = db.app('proof');
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(randomWorlds({ wild: true }), async ({ world, steps }) => {
      const memory = new MemoryStore(world.orders, { rules, maxAttempt: MAX_ATTEMPT });
      const database = new DatabaseStore({ owner: db.owner, app }, world.truth, MAX_ATTEMPT);
      await db.reset(world.orders);
      for (const step of steps) {
        if (step.do === 'deliver') {
          memory.deliver(step.event);
          await database.deliver(step.event);
        } else {
          const key = placed(memory.openQuestions, step.place);
          if (key === undefined) continue;
          memory.run(key, world.truth);
          await database.run(key);
        }
        compared += 1;
        const stored = await database.snapshot();
        expectSame(comparable(snapshotOfStore(memory)), comparable(stored));
        const found = breaches(stored);
        if (found.length > 0) throw new Error(found.join('\n'));
      }
    }),
    { numRuns: runs, seed, endOnFailure },
  );
  return compared;
}

function expectSame(memory: Record<string, readonly string[]>, database: Record<string, readonly string[]>): void {
  for (const [name, rows] of Object.entries(memory)) {
    const others = database[name] ?? [];
    const onlyMemory = rows.filter((row) => !others.includes(row));
    const onlyDatabase = others.filter((row) => !rows.includes(row));
    if (onlyMemory.length + onlyDatabase.length > 0 || rows.length !== others.length)
      throw new Error(
        `${name} differ\nin memory: ${onlyMemory.join('\n')}\nin the database: ${onlyDatabase.join('\n')}`,
      );
    if (name === 'journal' && rows.join() !== others.join()) throw new Error('the journals are in another order');
  }
}
