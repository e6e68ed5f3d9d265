import { setImmediate as turn } from 'node:timers/promises';
import type { Sql } from '../../functions/database/connection.ts';
import { Gate, gatedSql, type Rewrite } from './gated-sql.ts';

/** One who works on the database at the same time as others. */
export interface Actor {
  readonly name: string;
  run(sql: Sql): Promise<unknown>;
}

export interface Ended {
  readonly actor: string;
  readonly error: unknown;
}

/** One way of interleaving the actors' flights, as it was run. */
export interface Run {
  /** Who went at each step. */
  readonly trace: readonly string[];
  readonly ended: readonly Ended[];
}

export interface Scheduled {
  readonly actors: readonly Actor[];
  /** A pool for each actor, under a name of its own: `poolName(0)`, `poolName(1)`, … */
  readonly pools: readonly Sql[];
  /** Sees which actors wait in PostgreSQL. */
  readonly monitor: Sql;
  /** Chooses who goes next among the names of those that can. */
  readonly choose: (runnable: readonly string[]) => number;
  /** Called when a step is over, with everybody who may have moved in it. */
  readonly afterStep: (moved: readonly string[], trace: readonly string[]) => Promise<void>;
  readonly rewrite?: Rewrite;
}

export const poolName = (place: number) => `actor_${place}`;

/** Looks at actors that neither wait nor end before that is taken for a hang; any statement has timed out by then. */
const PATIENCE = 1_000_000;

interface Running {
  readonly name: string;
  readonly pool: string;
  readonly gate: Gate;
  ended: Ended | null;
}

/**
 * Runs actors of which one at a time may send, one flight at a time: whatever it asks of the database before it waits for
 * an answer. An actor that waits for another one's lock cannot go; it moves in the step that lets it.
 */
export async function runSchedule(scheduled: Scheduled): Promise<Run> {
  const { actors, choose, afterStep } = scheduled;
  const running = actors.map((actor, place) => start(actor, place, scheduled));
  const trace: string[] = [];
  for (let moving = running; ; ) {
    await untilKnown(running, scheduled.monitor);
    if (trace.length > 0)
      await afterStep(
        moving.map(({ name }) => name),
        trace,
      );
    const runnable = running.filter(({ ended, gate }) => !ended && gate.inFlight === 0);
    const next = runnable[runnable.length > 1 ? choose(runnable.map(({ name }) => name)) : 0];
    if (!next && running.every(({ ended }) => ended)) break;
    moving = running.filter(({ gate }) => gate.inFlight > 0);
    if (!next) continue;
    moving.push(next);
    trace.push(next.name);
    next.gate.release();
  }
  return { trace, ended: running.flatMap(({ ended }) => ended ?? []) };
}

function start(actor: Actor, place: number, { pools, rewrite }: Scheduled): Running {
  const pool = pools[place];
  if (!pool) throw new Error(`no pool for ${actor.name}`);
  const gate = new Gate();
  const running: Running = { name: actor.name, pool: poolName(place), gate, ended: null };
  const end = (error: unknown) => {
    running.ended = { actor: actor.name, error };
  };
  actor.run(gatedSql(pool, gate, rewrite)).then(() => end(null), end);
  return running;
}

/** Until everybody has ended, has something to send, or waits for a lock. */
async function untilKnown(running: readonly Running[], monitor: Sql): Promise<void> {
  for (let looks = 0; looks < PATIENCE; looks++) {
    const before = running.map(({ gate }) => gate.waiting);
    await turn();
    await turn();
    const isStill = running.every(({ gate }, place) => gate.waiting === before[place]);
    const open = running.filter(({ ended, gate }) => !ended && (gate.inFlight > 0 || gate.waiting === 0));
    if (!isStill) continue;
    if (open.length === 0) return;
    if (open.every(({ gate }) => gate.inFlight > 0) && (await areBlocked(open, monitor))) return;
  }
  throw new Error(`no end is in sight of ${running.filter(({ ended }) => !ended).map(({ name }) => name)}`);
}

/** `pg_blocking_pids` is true to the lock table at once, while the activity of a backend is told a moment late. */
async function areBlocked(open: readonly Running[], monitor: Sql): Promise<boolean> {
  const blocked = await monitor<{ name: string }[]>`
    SELECT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND cardinality(pg_blocking_pids(pid)) > 0`;
  return open.every(({ pool, gate }) => gate.inFlight > 0 && blocked.some(({ name }) => name === pool));
}
