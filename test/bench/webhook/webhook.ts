import '../../proof/quiet.ts';

import { connect } from '../../../functions/database/connection.ts';
import type { Bench, Part, Row } from '../part.ts';
import { assertSameWork, type Contender, Histories, type Name, openContenders } from './contenders.ts';
import { type Deliver, handlerOf } from './histories.ts';
import { startLineThread } from './line-thread.ts';
import { eventsPerSecond, latencies, median, timeOf } from './measure.ts';
import { roundTripRows } from './round-trip-rows.ts';

/** Rounds in which every contender has its turn; a ratio is the median of theirs. */
const ROUNDS = 7;
/** How many orders make a turn of about a second, and what is demanded over the port and the floor. */
const LOADS = [
  { atOnce: 1, orders: 50, overPort: { atLeast: 4 }, overFloor: { atLeast: 0.5 } },
  { atOnce: 8, orders: 300, overPort: { atLeast: 2.7 }, overFloor: null },
  { atOnce: 32, orders: 600, overPort: { atLeast: 1.7 }, overFloor: null },
] as const;
/** For each connection: both events are behind it, and PostgreSQL has settled on its plans. */
const WARM_UP_ORDERS = 8;
const THROUGHPUT_TRIP_MS = 1;
const LATENCY_TRIP_MS = 3;
const LATENCY_ORDERS = 150;

export const webhook: Part = {
  name: 'webhook',
  about: 'an order.created and an order.succeeded through the handler, beside a sequential port and a single call',
  minutes: 2,
  async run(bench) {
    const contenders = await openContenders(bench);
    const histories = new Histories(contenders);
    bench.progress('counting round trips');
    const rows = await roundTripRows(contenders, histories);
    for (const load of LOADS) rows.push(...(await throughputRows(bench, contenders, histories, load)));
    rows.push(await latencyRow(bench, contenders, histories));
    bench.progress('comparing what they have stored');
    await assertSameWork(contenders, histories.made);
    for (const { owner, database } of contenders) {
      await owner.end();
      await database.drop();
    }
    return rows;
  },
};

async function throughputRows(
  bench: Bench,
  contenders: readonly Contender[],
  histories: Histories,
  { atOnce, orders, overPort, overFloor }: (typeof LOADS)[number],
): Promise<Row[]> {
  const lines = await Promise.all(contenders.map((contender) => openLine(contender, THROUGHPUT_TRIP_MS, atOnce)));
  const warmUp = await histories.next(WARM_UP_ORDERS * atOnce);
  for (const { deliver } of lines) await eventsPerSecond(deliver, warmUp, atOnce);

  const rounds: Record<Name, number>[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const next = await histories.next(orders);
    const rates = { ours: 0, port: 0, floor: 0 };
    // Whoever was first in this round is last in the next.
    for (const { name, deliver } of [...lines.slice(round % 3), ...lines.slice(0, round % 3)]) {
      rates[name] = await eventsPerSecond(deliver, next, atOnce);
    }
    rounds.push(rates);
    bench.progress(`${atOnce} at once, round ${round} of ${ROUNDS}: ${inWords(rates)} events/s`);
  }
  for (const { close } of lines) await close();

  const middle = (of: (rates: Record<Name, number>) => number) => median(rounds.map(of));
  const rates = { ours: middle((r) => r.ours), port: middle((r) => r.port), floor: middle((r) => r.floor) };
  const basis = `events/s at a round trip of ${THROUGHPUT_TRIP_MS} ms: ${inWords(rates)}`;
  return [
    { what: `webhook, ${atOnce} at once: ours / port`, value: middle((r) => r.ours / r.port), goal: overPort, basis },
    {
      what: `webhook, ${atOnce} at once: ours / floor`,
      value: middle((r) => r.ours / r.floor),
      goal: overFloor,
      basis,
    },
  ];
}

async function latencyRow(bench: Bench, contenders: readonly Contender[], histories: Histories): Promise<Row> {
  bench.progress(`latency at a round trip of ${LATENCY_TRIP_MS} ms`);
  const medians = { ours: 0, port: 0, floor: 0 };
  const trips: number[] = [];
  const warmUp = await histories.next(WARM_UP_ORDERS);
  const timed = await histories.next(LATENCY_ORDERS);
  for (const contender of contenders) {
    const { name, deliver, ask, close } = await openLine(contender, LATENCY_TRIP_MS, 1);
    await latencies(deliver, warmUp);
    medians[name] = median(await latencies(deliver, timed));
    for (let asked = 0; asked < LATENCY_ORDERS; asked++) trips.push(await timeOf(ask));
    await close();
  }
  const trip = median(trips);
  return {
    what: 'webhook, median latency in round trips',
    value: medians.ours / trip,
    goal: { atMost: 2.7 },
    basis: `ms at a round trip of ${LATENCY_TRIP_MS} ms, which a SELECT 1 takes ${trip.toPrecision(3)} for: ${inWords(medians)}`,
  };
}

/** A contender behind a line to its database, with as many connections as deliveries at once. */
async function openLine({ name, database, receive }: Contender, roundTripMs: number, max: number) {
  const line = await startLineThread(database.appUrl, roundTripMs);
  const sql = connect({ url: line.url, max });
  const deliver: Deliver = handlerOf((event, body) => receive(sql, event, body));
  const ask = async () => void (await sql`SELECT 1`);
  const close = async () => {
    await sql.end();
    await line.close();
  };
  return { name, deliver, ask, close };
}

function inWords({ ours, port, floor }: Record<Name, number>): string {
  return `ours ${ours.toPrecision(3)}, port ${port.toPrecision(3)}, floor ${floor.toPrecision(3)}`;
}
