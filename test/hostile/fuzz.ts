import fc from 'fast-check';

import { judge, Violation } from './judge.ts';
import { anyRequest } from './requests.ts';
import type { Stage } from './stage.ts';

export interface FuzzCounts {
  readonly seed: number;
  readonly inputs: number;
  readonly tasks: number;
  /** How many requests of each kind got which answer. */
  readonly answers: Readonly<Record<string, number>>;
}

/** So many requests aim at the same orders before those are too far gone for anything new to happen to them. */
const REQUESTS_PER_RENEWAL = 25;
/** A task may wait, and Clink may not know an id. It may not be something that the database or the program refuses. */
const GOOD_ERROR = /^\w+: (StillWaiting\w*|ClinkError)(:\w+)?$/;

/** Sends `runs` hostile requests. Throws with the seed and the smallest request found when a promise is broken. */
export async function fuzz(stage: Stage, { seed, runs }: { seed: number; runs: number }): Promise<FuzzCounts> {
  const answers: Record<string, number> = {};
  let inputs = 0;
  let tasks = 0;

  async function settle(): Promise<void> {
    const { ran, errors } = await stage.runTasks();
    tasks += ran;
    const bad = errors.find((error) => !GOOD_ERROR.test(error));
    if (bad !== undefined) throw new Violation(`a task that hostile input queued ended in ${bad}`);
    stage.watch.take();
    await stage.renew();
  }

  await settle();
  const property = fc.asyncProperty(anyRequest, async (plan) => {
    if (inputs % REQUESTS_PER_RENEWAL === 0) await settle();
    inputs += 1;
    const kind = await judge(stage, plan);
    answers[kind] = (answers[kind] ?? 0) + 1;
  });
  await fc.assert(property, { seed, numRuns: runs });
  await settle();
  return { seed, inputs, tasks, answers };
}
