import { randomUUID } from 'node:crypto';
import { connect } from '../../../functions/database/connection.ts';
import { returnUnsent } from '../../../functions/database/outbox.ts';
import { claimTask } from '../../../functions/outbox/claim-task.ts';
import { outbox } from '../engines/outbox.ts';
import type { BenchDatabase } from '../part.ts';
import { type Contender, timed } from './contender.ts';

const TASK = 'fulfill';
const LEASE_MS = 300_000;

/** Rows of an outbox: how many of each kind. */
export type Rows = Partial<Record<'due' | 'finished' | 'future' | 'inFlight', number>>;

const COLUMNS: Readonly<Record<keyof Rows, readonly [names: string, values: string]>> = {
  finished: ['status', `'succeeded'`],
  due: ['next_retry_at', `now() - interval '1 hour' + n * interval '1 microsecond'`],
  future: ['next_retry_at', `now() + interval '1 day' + n * interval '1 microsecond'`],
  inFlight: ['status, claim_token, lease_until', `'processing', 'ticket', now() + interval '1 day'`],
};

export async function storeRows({ ownerUrl }: BenchDatabase, rows: Rows): Promise<void> {
  const owner = connect({ url: ownerUrl, max: 1 });
  for (const [kind, count] of Object.entries(rows)) {
    const [names, values] = COLUMNS[kind as keyof Rows];
    await owner.unsafe(`
      INSERT INTO outbox (task, event_id, dedupe_key, ${names})
      SELECT '${TASK}', 'event_1', '${kind}:' || n, ${values} FROM generate_series(1, ${count}) AS n`);
  }
  await owner`VACUUM ANALYZE outbox`;
  await owner.end();
}

/** The claim of production, of so many rows in one transaction. What it took is given back, so that as much stays due. */
export function ourClaim(database: BenchDatabase, { inFlight = 0 }: Rows, atOnce: number): Contender {
  const sql = connect({ url: database.appUrl, max: 1 });
  const claim = { sql, leaseMs: LEASE_MS, maxInFlight: () => inFlight + atOnce, newToken: () => randomUUID() };
  return {
    name: `outbox, ${atOnce} at once`,
    async claim() {
      const [ms, tickets] = await timed(() => claimTask(claim, TASK));
      await Promise.all(tickets.map((ticket) => returnUnsent(sql, ticket)));
      if (tickets.length !== atOnce) throw new Error(`${tickets.length} of ${atOnce} rows were claimed`);
      return ms / tickets.length;
    },
    close: () => sql.end(),
  };
}

/** Claims and finishes so many rows while somebody looks at the table as it was before. Returns how to look away. */
export async function cycleUnderOldSnapshot(database: BenchDatabase, cycles: number): Promise<() => Promise<void>> {
  const owner = connect({ url: database.ownerUrl, max: 1 });
  const reader = await owner.reserve();
  await reader`BEGIN ISOLATION LEVEL REPEATABLE READ`;
  await reader`SELECT count(*) FROM outbox`;
  const engine = outbox(database, 16);
  await engine.drain(cycles);
  await engine.close();
  return async () => {
    await reader`COMMIT`;
    reader.release();
    await owner.end();
  };
}
