import type { Sql } from '../../functions/database/connection.ts';
import type { Case } from './cases.ts';
import type { ProofDatabase } from './database.ts';
import { endOf } from './end.ts';
import type { Rewrite } from './gated-sql.ts';
import { breaches } from './invariants.ts';
import { poolName, type Run, runSchedule } from './scheduler.ts';
import { type Choose, randomFrom, serialOrders, type Tried, trySchedules } from './schedules.ts';
import { type Snapshot, snapshotOfDatabase } from './snapshot.ts';
import { Stage } from './stage.ts';

export interface Interleaved extends Tried {
  readonly steps: number;
  /** Ends that the actors come to one after the other, each of them allowed. */
  readonly ends: number;
  readonly violations: readonly string[];
}

export interface Options {
  /** Schedules of one case at most. */
  readonly limit: number;
  readonly seed: number;
  readonly rewrite?: Rewrite;
}

/** A broken rule breaks it in many schedules; the first few tell enough. */
const ENOUGH = 3;
const MOST_ACTORS = 3;

/** Runs cases on a database that is the proof's own. */
export class Interleavings {
  readonly #db: ProofDatabase;
  readonly #pools: readonly Sql[];
  readonly #free: Sql;

  constructor(db: ProofDatabase) {
    this.#db = db;
    this.#pools = Array.from({ length: MOST_ACTORS }, (_, place) => db.app(poolName(place)));
    this.#free = db.app('free');
  }

  /**
   * Tries the schedules of a case. In each the invariants hold at every step, every row is moved by its owner alone, nobody
   * fails, and once the rest is done the end is one that the actors come to one after the other.
   */
  async try(tried: Case, { limit, seed, rewrite }: Options): Promise<Interleaved> {
    const ends = new Set<string>();
    const violations: string[] = [];
    let steps = 0;
    const run = async (choose: Choose, isSerial: boolean) => {
      if (violations.length >= ENOUGH) return;
      const { end, found, trace } = await this.#run(tried, choose, isSerial ? undefined : rewrite);
      steps += trace.length;
      if (isSerial && found.length === 0) ends.add(end);
      else if (!ends.has(end)) found.push(`no order one after the other ends in: ${end}`);
      if (found.length > 0) violations.push([...new Set(found), `  by ${trace.join(', ')}`].join('\n'));
    };
    const names = (await this.#set(tried)).actors.map(({ name }) => name);
    for (const choose of serialOrders(names)) await run(choose, true);
    const counts = await trySchedules((choose) => run(choose, false), { limit, random: randomFrom(seed) });
    return { ...counts, steps, ends: ends.size, violations };
  }

  async #set(tried: Case) {
    await this.#db.reset(tried.orders);
    const stage = new Stage(this.#db, this.#free, tried.truth);
    return { stage, actors: await tried.prepare(stage) };
  }

  async #run(tried: Case, choose: Choose, rewrite: Rewrite | undefined) {
    const { stage, actors } = await this.#set(tried);
    const found: string[] = [];
    let looked = 0;
    let before = await snapshotOfDatabase(this.#db.owner);
    const { trace, ended } = await runSchedule({
      actors,
      choose,
      pools: this.#pools,
      monitor: this.#db.owner,
      ...(rewrite && { rewrite }),
      afterStep: async (moved) => {
        const now = await snapshotOfDatabase(this.#db.owner);
        found.push(...breaches(now, before), ...moves(now, before, moved), ...orphans(stage, now, looked));
        looked = stage.deeds.length;
        before = now;
      },
    });
    found.push(...failures(ended), ...doubles(stage), ...(tried.judge?.(stage, before) ?? []));
    const drained = await stage.store.drain();
    found.push(...breaches(drained, before));
    return { end: endOf(drained), found, trace };
  }
}

function* failures(ended: Run['ended']): Iterable<string> {
  for (const { actor, error } of ended) {
    if (error === null) continue;
    const { name, code, message } = Object(error) as { name?: string; code?: string; message?: string };
    yield `${actor} failed with ${code === '40P01' ? 'a deadlock' : `${name} ${code ?? ''} ${message}`}`;
  }
}

function* doubles({ deeds }: Stage): Iterable<string> {
  const began = deeds.filter(({ what }) => what === 'began').map(({ token }) => token);
  for (const token of new Set(began)) {
    const times = began.filter((other) => other === token).length;
    if (times > 1) yield `work was begun ${times} times under the token ${token}`;
  }
}

/** What was done since the last look was done by who owns the row. */
function* orphans({ deeds }: Stage, { tasks }: Snapshot, looked: number): Iterable<string> {
  for (const { what, token } of deeds.slice(looked)) {
    const row = tasks.find(({ claimToken }) => claimToken === token);
    if (!row || row.due) yield `a side effect (${what}) under ${token}, which owns nothing`;
  }
}

/** A row in flight is moved on by who owns it; others may take it with its ticket, or when its lease is over. */
function* moves(now: Snapshot, before: Snapshot, moved: readonly string[]): Iterable<string> {
  for (const was of before.tasks) {
    const is = now.tasks.find(({ dedupeKey }) => dedupeKey === was.dedupeKey);
    if (was.claimToken === null || is?.claimToken === was.claimToken) continue;
    const owner = was.claimToken.split(':')[0] ?? '';
    const byTicket = is?.status === 'processing' && is.started && !was.started;
    const byClaim = is?.status === 'processing' && !is.started && was.due;
    if (!moved.includes(owner) && !byTicket && !byClaim)
      yield `a task row is moved only by its owner: ${was.dedupeKey} of ${was.claimToken} became ${is?.status} by ${moved.join(', ')}`;
  }
}
