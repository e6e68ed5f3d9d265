import '../../proof/quiet.ts';

import type { Sql } from '../../../functions/database/connection.ts';
import { claimDue } from '../../../functions/outbox/claim-due.ts';
import type { Bench, Part, Row } from '../part.ts';
import { type DeliveringBackend, startDeliveringBackend } from './backend.ts';
import { median, quantile } from './figures.ts';
import { latenciesOf } from './latency.ts';

const COMMITS = 300;
const WARM_UP = 20;
const IDLE = 150;
const BURST = 1_000;
const BURSTS = 3;
const DISPATCHED = 1_000;
const DISPATCHES = 5;

export const delivery: Part = {
  name: 'delivery',
  about: 'from the webhook to the start of the fulfilment, over SQS; and what one claim invocation dispatches',
  minutes: 1,
  async run(bench) {
    const backend = await startDeliveringBackend(await bench.newDatabase('delivery'));
    const rows = [
      ...(await idleRows(bench, backend)),
      ...(await burstRows(bench, backend)),
      await dispatchRow(bench, backend),
    ];
    await backend.close();
    return rows;
  },
};

/** How long the smallest durable write takes at this moment, in milliseconds. */
async function commitTime(owner: Sql): Promise<number> {
  await owner`CREATE TABLE IF NOT EXISTS commits (n INT)`;
  const times: number[] = [];
  for (let n = 0; n < COMMITS; n++) {
    const begun = performance.now();
    await owner`INSERT INTO commits VALUES (${n})`;
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** One payment at a time, the next when the last one is being delivered. */
async function idleRows(bench: Bench, backend: DeliveringBackend): Promise<Row[]> {
  bench.progress(`${IDLE} payments, one at a time`);
  await latenciesOf(backend, WARM_UP, 'one at a time');
  const commitMs = await commitTime(backend.owner);
  return rowsOf('idle', await latenciesOf(backend, IDLE, 'one at a time'), commitMs);
}

async function burstRows(bench: Bench, backend: DeliveringBackend): Promise<Row[]> {
  const commitMs = await commitTime(backend.owner);
  const latencies: number[] = [];
  for (let burst = 1; burst <= BURSTS; burst++) {
    bench.progress(`${BURST} payments at once, burst ${burst} of ${BURSTS}`);
    latencies.push(...(await latenciesOf(backend, BURST, 'at once')));
  }
  return rowsOf(`burst of ${BURST}`, latencies, commitMs);
}

function rowsOf(load: string, latencies: readonly number[], commitMs: number): Row[] {
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  const basis = `ms: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, one durable commit ${commitMs.toFixed(2)}`;
  return [
    { what: `delivery, ${load}: p50 in durable commits`, value: p50 / commitMs, goal: null, basis },
    { what: `delivery, ${load}: p99 / p50`, value: p99 / p50, goal: null, basis },
  ];
}

/** With nobody at the queues, so that the claimer has the machine. */
async function dispatchRow(bench: Bench, backend: DeliveringBackend): Promise<Row> {
  const commitMs = await commitTime(backend.owner);
  const rates: number[] = [];
  for (let run = 1; run <= DISPATCHES; run++) {
    bench.progress(`dispatching ${DISPATCHED} tasks, run ${run} of ${DISPATCHES}`);
    await backend.owner`
      INSERT INTO outbox (task, event_id, dedupe_key)
      SELECT 'fulfill', 'event_' || n, ${`dispatched in run ${run}: `} || n FROM generate_series(1, ${DISPATCHED}::int) AS n`;
    const begun = performance.now();
    const sent = (await claimDue(backend.claimDeps(DISPATCHED * run))).get('fulfill')?.sent ?? 0;
    rates.push(sent / ((performance.now() - begun) / 1000));
  }
  const rate = median(rates);
  const basis = `${rate.toFixed(0)} tasks/s, each sent by itself; ${(1000 / commitMs).toFixed(0)} durable commits/s on one connection`;
  return { what: 'delivery, tasks dispatched per durable commit', value: (rate * commitMs) / 1000, goal: null, basis };
}
