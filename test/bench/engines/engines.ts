import { median } from '../delivery/figures.ts';
import type { Bench, Part, Row } from '../part.ts';
import { deadlockRow } from './deadlocks.ts';
import type { Engine } from './engine.ts';
import { graphileWorker } from './graphile-worker.ts';
import { outbox } from './outbox.ts';
import { pgBoss } from './pg-boss.ts';

const ROUNDS = 3;
const TASKS = 10_000;
const AT_ONCE = 16;

export const engines: Part = {
  name: 'engines',
  about: `${TASKS} tasks that do nothing, ${AT_ONCE} at once, through our outbox and through the engines one would pick`,
  minutes: 5,
  async run(bench) {
    const field = await openAll(bench);
    for (let round = 1; round <= ROUNDS; round++) {
      for (const entrant of field) {
        const time = await measure(entrant.engine);
        entrant.times.push(time);
        bench.progress(`round ${round} of ${ROUNDS}: ${inWords(entrant.engine.name, time)}`);
      }
    }
    for (const { engine } of field) await engine.close();
    return [...rows(field), await deadlockRow(bench)];
  },
};

interface Time {
  readonly wholeMs: number;
  readonly drainMs: number;
}

interface Entrant {
  readonly engine: Engine;
  readonly kind: 'ours' | 'single' | 'batch';
  readonly times: Time[];
}

async function openAll(bench: Bench): Promise<Entrant[]> {
  const entrants: [Entrant['kind'], Engine][] = [
    ['ours', outbox(await bench.newDatabase('engines_outbox'), AT_ONCE)],
    ['single', await pgBoss(await bench.newDatabase('engines_boss'), AT_ONCE, 1)],
    ['batch', await pgBoss(await bench.newDatabase('engines_boss_100'), AT_ONCE, 100)],
    ['single', await graphileWorker(await bench.newDatabase('engines_worker'), AT_ONCE, null)],
    ['batch', await graphileWorker(await bench.newDatabase('engines_worker_500'), AT_ONCE, 500)],
  ];
  return entrants.map(([kind, engine]) => ({ kind, engine, times: [] }));
}

async function measure(engine: Engine): Promise<Time> {
  const begun = performance.now();
  await engine.enqueue(TASKS);
  const queued = performance.now();
  await engine.drain(TASKS);
  const ended = performance.now();
  return { wholeMs: ended - begun, drainMs: ended - queued };
}

function rows(field: readonly Entrant[]): Row[] {
  const of = (kind: Entrant['kind']) => field.filter((entrant) => entrant.kind === kind);
  const middle = ({ times }: Entrant, ms: (time: Time) => number) => median(times.map(ms));
  const [ours] = of('ours') as [Entrant];
  const batches = of('batch').toSorted((a, b) => middle(a, wholeMs) - middle(b, wholeMs));
  const [batch] = batches as [Entrant];

  const compare = (entrant: Entrant, other: Entrant, goal: Row['goal']): Row[] =>
    (
      [
        [wholeMs, 'queued to done', goal],
        [drainMs, 'drain alone', null],
      ] as const
    ).map(([ms, phase, demanded]) => ({
      what: `engines, ${phase}: ${entrant.engine.name} / ${other.engine.name}`,
      value: median(entrant.times.map((time, at) => ms(other.times[at] ?? time) / ms(time))),
      goal: demanded,
      basis: `tasks/s: ${rate(middle(entrant, ms))} / ${rate(middle(other, ms))}`,
    }));
  return [
    ...of('single').flatMap((single) => compare(ours, single, { atLeast: 2 })),
    ...compare(ours, batch, { atLeast: 1.2 }),
  ];
}

const wholeMs = (time: Time) => time.wholeMs;
const drainMs = (time: Time) => time.drainMs;
const rate = (ms: number) => (TASKS / (ms / 1000)).toFixed(0);

function inWords(name: string, time: Time): string {
  return `${name} ${rate(time.wholeMs)} tasks/s, drain alone ${rate(time.drainMs)}`;
}
