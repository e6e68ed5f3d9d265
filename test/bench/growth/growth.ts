import '../../proof/quiet.ts';

import { pruneHistory } from '../../../functions/outbox/prune-history.ts';
import { median } from '../delivery/figures.ts';
import type { Bench, Part, Row } from '../part.ts';
import { type Business, openBusiness } from './business.ts';
import { STORED_ORDERS, storeHistory } from './history.ts';

const ROUNDS = 15;
const ORDERS_PER_TURN = 150;
const CLAIMS_PER_TURN = 40;
const PRUNE_ROUNDS = 5;
const GOAL = { atMost: 1.2 };

export const growth: Part = {
  name: 'growth',
  about: 'webhooks and claims beside a million orders with their history, over the same in empty tables',
  minutes: 5,
  async run(bench) {
    const empty = openBusiness('empty', await bench.newDatabase('growth_empty'));
    const full = openBusiness('full', await bench.newDatabase('growth_full'));
    await storeHistory(full.owner, bench.progress);
    await full.owner`CHECKPOINT`;
    const rows = [...(await flatRows(bench, empty, full)), ...(await pruneRows(bench, full))];
    await empty.close();
    await full.close();
    return rows;
  },
};

interface Turn {
  readonly events: number;
  readonly claimMs: number;
}

/** Both have their turn in every round, and whoever was first in one is last in the next. */
async function flatRows(bench: Bench, empty: Business, full: Business): Promise<Row[]> {
  const turns = { empty: [] as Turn[], full: [] as Turn[] };
  for (const business of [empty, full]) await turn(business);
  for (let round = 1; round <= ROUNDS; round++) {
    const both = [empty, full] as const;
    for (const business of round % 2 === 0 ? both : both.toReversed()) {
      turns[business.name as keyof typeof turns].push(await turn(business));
    }
    bench.progress(`round ${round} of ${ROUNDS}: ${inWords(turns.empty.at(-1), turns.full.at(-1))}`);
  }
  const ratio = (of: (turn: Turn) => number) =>
    median(turns.empty.map((turn, at) => of(turn) / of(turns.full[at] ?? turn)));
  const middle = { empty: middleOf(turns.empty), full: middleOf(turns.full) };
  const basis = `${STORED_ORDERS} orders, 3 events, tasks and journal rows each, over empty: ${inWords(middle.empty, middle.full)}`;
  return [
    {
      what: 'growth, webhook: empty / full events per second',
      value: ratio(({ events }) => events),
      goal: GOAL,
      basis,
    },
    { what: 'growth, claim: full / empty time', value: 1 / ratio(({ claimMs }) => claimMs), goal: GOAL, basis },
  ];
}

/** Whether what grows in a second can be pruned in less, and what pruning costs those who come meanwhile. */
async function pruneRows(bench: Bench, full: Business): Promise<Row[]> {
  const alone: number[] = [];
  const beside: number[] = [];
  const pruned: number[] = [];
  for (let round = 1; round <= PRUNE_ROUNDS; round++) {
    bench.progress(`pruning, round ${round} of ${PRUNE_ROUNDS}`);
    alone.push(await full.eventsPerSecond(ORDERS_PER_TURN));
    let isOver = false;
    const begun = performance.now();
    const pruning = pruneHistory({ sql: full.app, keepDays: 90, hasTime: () => !isOver });
    beside.push(await full.eventsPerSecond(ORDERS_PER_TURN));
    isOver = true;
    const { tasks, bodies } = await pruning;
    pruned.push((tasks + bodies) / ((performance.now() - begun) / 1000));
  }
  const basis = `events/s ${median(alone).toFixed(0)} alone, ${median(beside).toFixed(0)} beside the pruning of ${median(pruned).toFixed(0)} rows/s`;
  const ratio = median(alone.map((rate, at) => rate / (beside[at] ?? rate)));
  return [
    { what: 'growth, webhook: without / beside pruning', value: ratio, goal: null, basis },
    { what: 'growth, rows pruned / events taken in', value: median(pruned) / median(beside), goal: null, basis },
  ];
}

async function turn(business: Business): Promise<Turn> {
  const events = await business.eventsPerSecond(ORDERS_PER_TURN);
  return { events, claimMs: median(await business.claimTimes(CLAIMS_PER_TURN)) };
}

function middleOf(turns: readonly Turn[]): Turn {
  return { events: median(turns.map(({ events }) => events)), claimMs: median(turns.map(({ claimMs }) => claimMs)) };
}

function inWords(empty?: Turn, full?: Turn): string {
  const words = ({ events, claimMs }: Turn) => `${events.toFixed(0)} events/s and ${claimMs.toFixed(2)} ms a claim`;
  return [empty && `empty ${words(empty)}`, full && `full ${words(full)}`].join(', ');
}
