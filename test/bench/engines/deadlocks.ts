import { connect } from '../../../functions/database/connection.ts';
import type { Bench, Row } from '../part.ts';
import { outbox } from './outbox.ts';

const RUNS = 20;
const AT_ONCE = 64;
const TASKS = 1_000;

/** Queues and runs at the same time, by 64 workers, and asks PostgreSQL what it had to break up. */
export async function deadlockRow(bench: Bench): Promise<Row> {
  const database = await bench.newDatabase('engines_deadlocks');
  for (let run = 1; run <= RUNS; run++) {
    bench.progress(`deadlocks, run ${run} of ${RUNS}`);
    const engine = outbox(database, AT_ONCE);
    await engine.enqueue(TASKS);
    await Promise.all([engine.enqueue(TASKS), engine.drain(2 * TASKS)]);
    await engine.close();
  }
  const owner = connect({ url: database.ownerUrl, max: 1 });
  const [row] = await owner<{ deadlocks: number }[]>`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  await owner.end();
  await database.drop();
  return {
    what: `engines, deadlocks at ${AT_ONCE} at once`,
    value: row?.deadlocks ?? Number.NaN,
    goal: { atMost: 0 },
    basis: `pg_stat_database after ${RUNS} runs of ${2 * TASKS} tasks, queued while others ran`,
  };
}
