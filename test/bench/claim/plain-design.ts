import { randomUUID } from 'node:crypto';
import { connect } from '../../../functions/database/connection.ts';
import type { BenchDatabase } from '../part.ts';
import { type Contender, timed } from './contender.ts';

const LEASE_SECONDS = 300;

/**
 * The plain design: pending rows whose time has come and rows whose lease is over, the lowest id first, with an index on
 * status and time. It walks the table by id through all that is finished.
 */
export async function plainDesign(database: BenchDatabase, finished: number, due: number): Promise<Contender> {
  const sql = connect({ url: database.ownerUrl, max: 1 });
  await sql.unsafe(`
    CREATE TABLE plain_outbox (
      id BIGSERIAL PRIMARY KEY,
      task TEXT NOT NULL,
      event_id TEXT NOT NULL,
      payload JSONB,
      dedupe_key TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL DEFAULT 'pending',
      attempt INT NOT NULL DEFAULT 0,
      next_retry_at TIMESTAMPTZ NOT NULL DEFAULT now(),
      claim_token TEXT,
      worker_id TEXT,
      lease_until TIMESTAMPTZ,
      updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
    );
    CREATE INDEX ON plain_outbox (status, next_retry_at);
    INSERT INTO plain_outbox (task, event_id, dedupe_key, status)
    SELECT 'fulfill', 'event_1', 'finished:' || n, 'succeeded' FROM generate_series(1, ${finished}) AS n;
    INSERT INTO plain_outbox (task, event_id, dedupe_key)
    SELECT 'fulfill', 'event_1', 'due:' || n FROM generate_series(1, ${due}) AS n`);
  await sql`VACUUM ANALYZE plain_outbox`;

  const claimFirst = () => sql<{ id: number }[]>`
    UPDATE plain_outbox
    SET status = 'processing', claim_token = ${randomUUID()}, worker_id = 'worker',
        lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE id IN (
      SELECT id FROM plain_outbox
      WHERE status = 'pending' AND next_retry_at <= now() OR status = 'processing' AND lease_until < now()
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id`;
  return {
    name: 'plain design',
    async claim() {
      const [ms, [claimed]] = await timed(claimFirst);
      if (!claimed) throw new Error('nothing was claimed');
      await sql`UPDATE plain_outbox SET status = 'succeeded', lease_until = NULL WHERE id = ${claimed.id}`;
      return ms;
    },
    close: () => sql.end(),
  };
}
