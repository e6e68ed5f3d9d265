import '../../proof/quiet.ts';

import { pruneHistory } from '../../../functions/outbox/prune-history.ts';
import { median } from '../delivery/figures.ts';
import type { Bench, Part, Row } from '../part.ts';
import { type Business, openBusiness } from './business.ts';
import { STORED_ORDERS, storeHistory } from './history.ts';

const ROUNDS = 15;
const ORDERS_PER_TURN = 150;
const CLAIMS_PER_ROUND = 40;
const PRUNE_ROUNDS = 5;
const GOAL = { atMost: 1.2 };

export const growth: Part = {
  name: 'growth',
  about: 'webhooks and claims beside a million orders with their history, over the same in empty tables',
  minutes: 4,
  async run(bench) {
    const empty = openBusiness(await bench.newDatabase('growth_empty'));
    const full = openBusiness(await bench.newDatabase('growth_full'));
    await storeHistory(full.owner, bench.progress);
    await full.owner`CHECKPOINT`;
    const rows = [...(await flatRows(bench, empty, full)), ...(await pruneRows(bench, full))];
    await empty.close();
    await full.close();
    return rows;
  },
};

/** Events per second of each round, and the time of each claim in milliseconds. */
interface Measured {
  readonly rates: number[];
  readonly claims: number[];
}

/**
 * Both take turns, and whoever was first is last the next time. A claim is so short that the two take turns at every one:
 * a machine that is slow for a moment is slow for both.
 */
async function flatRows(bench: Bench, empty: Business, full: Business): Promise<Row[]> {
  const ofEmpty: Measured = { rates: [], claims: [] };
  const ofFull: Measured = { rates: [], claims: [] };
  const both = [[empty, ofEmpty] as const, [full, ofFull] as const];
  for (const business of [empty, full]) await business.eventsPerSecond(ORDERS_PER_TURN);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [business, { rates }] of both.reverse()) rates.push(await business.eventsPerSecond(ORDERS_PER_TURN));
    for (let turn = 1; turn <= CLAIMS_PER_ROUND; turn++) {
      for (const [business, { claims }] of both.reverse()) claims.push(await business.claimTime());
    }
    bench.progress(`round ${round} of ${ROUNDS}: ${inWords(ofEmpty, ofFull)}`);
  }
  const slowdown = median(ofEmpty.rates.map((rate, at) => rate / (ofFull.rates[at] ?? Number.NaN)));
  const basis = `${STORED_ORDERS} orders, 3 events, tasks and journal rows each, over empty; medians: ${inWords(ofEmpty, ofFull)}`;
  return [
    { what: 'growth, webhook: empty / full events per second', value: slowdown, goal: GOAL, basis },
    {
      what: 'growth, claim: full / empty time',
      value: median(ofFull.claims) / median(ofEmpty.claims),
      goal: GOAL,
      basis,
    },
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

function inWords(empty: Measured, full: Measured): string {
  const words = ({ rates, claims }: Measured) =>
    `${median(rates).toFixed(0)} events/s and ${median(claims).toFixed(2)} ms a claim`;
  return `empty ${words(empty)}, full ${words(full)}`;
}
