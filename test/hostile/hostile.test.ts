import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { fuzz, type HostileCounts, sweep } from './fuzz.ts';
import { type Stage, startStage } from './stage.ts';
import { allValues, UNSTORABLE_VALUES } from './values.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by `npm run prove:hostile`. */
    hostile: { runs: number; seed: number } | undefined;
  }
  interface TaskMeta {
    hostile?: HostileCounts;
  }
}

const asked = inject('hostile');
const random = Math.trunc(Math.random() * 2 ** 31);
const rounds = asked ? [asked] : [7, random].map((seed) => ({ seed, runs: 150 }));

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

describe('hostile input', () => {
  test.for(rounds)('breaks no promise: seed $seed, $runs requests', async (round, { task }) => {
    const counts = await fuzz(stage, round);
    task.meta.hostile = counts;
    expect(counts.inputs).toBeGreaterThanOrEqual(round.runs);
  });

  test('breaks no promise in any field of any event', async ({ task }) => {
    const counts = asked ? await sweep(stage, allValues(), asked.runs) : await sweep(stage, UNSTORABLE_VALUES, 300);
    task.meta.hostile = counts;
    expect(Object.keys(counts.answers)).toEqual(expect.arrayContaining(['webhook 200']));
  });
});
