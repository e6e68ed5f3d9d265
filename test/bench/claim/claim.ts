import '../../proof/quiet.ts';

import { median } from '../delivery/figures.ts';
import type { Bench, BenchDatabase, Part, Row } from '../part.ts';
import type { Contender } from './contender.ts';
import { cycleUnderOldSnapshot, ourClaim, type Rows, storeRows } from './ours.ts';
import { graphileWorkerClaim, pgBossClaim } from './peers.ts';
import { plainDesign } from './plain-design.ts';

const ROUNDS = 60;
/** The plain design has its turn in so many of them: it takes its time. */
const PLAIN_ROUNDS = 10;
const MILLION = 1_000_000;
const CYCLES = 5_000;
const AT_ONCE = 16;

/** Outboxes beside one with a thousand due rows and nothing else, and how much slower than there a claim may be. */
const OTHERS: readonly (readonly [name: string, rows: Rows, atMost: number])[] = [
  ['1,000,000 due, 1,000,000 finished', { finished: MILLION, due: MILLION }, 1.3],
  ['1,000 due, 500,000 due later', { due: 1_000, future: 500_000 }, 1.3],
  ['1,000 due, 1,000 in flight', { due: 1_000, inFlight: 1_000 }, 1.3],
  ['1,000 due, 5,000 cycles under an old snapshot', { due: 1_000 + CYCLES }, 2.5],
];

export const claim: Part = {
  name: 'claim',
  about: 'what a claim costs by what else the table holds, and what it costs elsewhere',
  minutes: 5,
  async run(bench) {
    const small = ours(await stored(bench, 'claim_small', { due: 1_000 }), {});
    const others: Ours[] = [];
    for (const [at, [name, rows]] of OTHERS.entries()) {
      bench.progress(`storing ${name}`);
      others.push(ours(await stored(bench, `claim_${at}`, rows), rows));
    }
    bench.progress('storing a million for each of the others');
    const peers = [
      await pgBossClaim(await bench.newDatabase('claim_boss'), MILLION),
      await graphileWorkerClaim(await bench.newDatabase('claim_worker'), MILLION),
    ];
    const plain = await plainDesign(await bench.newDatabase('claim_plain'), MILLION, MILLION);
    bench.progress(`${CYCLES} cycles under an old snapshot`);
    const [oldest] = others.slice(-1) as [Ours];
    const lookAway = await cycleUnderOldSnapshot(oldest.database, CYCLES);

    const everyRound = [small, ...others].flatMap(({ one, many }) => [one, many]).concat(peers);
    const times = await interleave(bench, everyRound, plain);
    for (const contender of [...everyRound, plain]) await contender.close();
    await lookAway();
    return rows(small, others, peers, plain, (contender) => median(times.get(contender) ?? []));
  },
};

interface Ours {
  readonly database: BenchDatabase;
  /** A claim of one row, and one of as many rows as sixteen free workers take. */
  readonly one: Contender;
  readonly many: Contender;
}

async function stored(bench: Bench, name: string, rows: Rows): Promise<BenchDatabase> {
  const database = await bench.newDatabase(name);
  await storeRows(database, rows);
  return database;
}

function ours(database: BenchDatabase, rows: Rows): Ours {
  return { database, one: ourClaim(database, rows, 1), many: ourClaim(database, rows, AT_ONCE) };
}

async function interleave(bench: Bench, everyRound: readonly Contender[], plain: Contender) {
  const times = new Map<Contender, number[]>([...everyRound, plain].map((contender) => [contender, []]));
  for (const contender of times.keys()) for (let warm = 0; warm < 8; warm++) await contender.claim();
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 20 === 0) bench.progress(`round ${round + 1} of ${ROUNDS}`);
    const turns = round % 2 === 0 ? everyRound : everyRound.toReversed();
    for (const contender of turns) times.get(contender)?.push(await contender.claim());
    if (round < PLAIN_ROUNDS) times.get(plain)?.push(await plain.claim());
  }
  return times;
}

function rows(
  small: Ours,
  others: readonly Ours[],
  peers: readonly Contender[],
  plain: Contender,
  ms: (contender: Contender) => number,
): Row[] {
  const [large] = others as [Ours];
  const compare = (what: string, over: Contender, under: Contender, goal: Row['goal']): Row => ({
    what: `claim, ${what}`,
    value: ms(over) / ms(under),
    goal,
    basis: `ms a row: ${ms(over).toFixed(3)} / ${ms(under).toFixed(3)}`,
  });
  const flat = OTHERS.flatMap(([name, , atMost], at) => {
    const other = others[at] ?? large;
    return [
      compare(`one row: ${name} / 1,000 due`, other.one, small.one, { atMost }),
      compare(`${AT_ONCE} at once: ${name} / 1,000 due`, other.many, small.many, { atMost }),
    ];
  });
  const beside = peers.flatMap((peer) => [
    compare(`1,000,000 due: a row among ${AT_ONCE} / ${peer.name}`, large.many, peer, { atMost: 0.9 }),
    compare(`1,000,000 due: one row / ${peer.name}`, large.one, peer, null),
  ]);
  return [
    ...flat,
    ...beside,
    compare(`1,000,000 due: plain design / a row among ${AT_ONCE}`, plain, large.many, { atLeast: 300 }),
    compare('1,000,000 due: plain design / one row', plain, large.one, null),
  ];
}
