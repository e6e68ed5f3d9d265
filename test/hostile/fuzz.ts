import fc from 'fast-check';

import { sweptBodies } from './event-bodies.ts';
import { judge, Violation } from './judge.ts';
import { anyRequest, type Plan, signedDeliveryOf } from './requests.ts';
import type { Stage } from './stage.ts';

export interface HostileCounts {
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
export async function fuzz(stage: Stage, { seed, runs }: { seed: number; runs: number }): Promise<HostileCounts> {
  const { send, finish } = await startRound(stage);
  await fc.assert(fc.asyncProperty(anyRequest, send), { seed, numRuns: runs });
  return finish();
}

/**
 * Sends every event with each of its fields replaced by each of the values, evenly thinned out to `most` events. Throws with
 * the body that broke a promise.
 */
export async function sweep(stage: Stage, values: readonly string[], most: number): Promise<HostileCounts> {
  const { send, finish } = await startRound(stage);
  const bodies = [...sweptBodies(values)];
  const step = Math.ceil(bodies.length / most);
  for (const body of bodies.filter((_body, place) => place % step === 0)) {
    await send(signedDeliveryOf(body)).catch((error: unknown) => {
      throw new Violation(`${String(error)} after ${body.slice(0, 2_000)}`);
    });
  }
  return finish();
}

async function startRound(stage: Stage) {
  const answers: Record<string, number> = {};
  let inputs = 0;
  let tasks = 0;

  async function settle(): Promise<void> {
    const { ran, errors } = await stage.runTasks();
    tasks += ran;
    const bad = errors.find((error) => !GOOD_ERROR.test(error));
    if (bad !== undefined) throw new Violation(`a task that hostile input queued ended in ${bad}`);
    await stage.renew();
  }

  await settle();
  return {
    async send(plan: Plan): Promise<void> {
      if (inputs > 0 && inputs % REQUESTS_PER_RENEWAL === 0) await settle();
      inputs += 1;
      const kind = await judge(stage, plan);
      answers[kind] = (answers[kind] ?? 0) + 1;
    },
    async finish(): Promise<HostileCounts> {
      await settle();
      return { inputs, tasks, answers };
    },
  };
}
