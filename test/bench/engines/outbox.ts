import { randomUUID } from 'node:crypto';
import { connect, type Sql } from '../../../functions/database/connection.ts';
import { finishTask, queueTask, type Ticket, takeOver } from '../../../functions/database/outbox.ts';
import { claimTask } from '../../../functions/outbox/claim-task.ts';
import type { BenchDatabase } from '../part.ts';
import { atOnce, type Engine } from './engine.ts';

const TASK = 'fulfill';
const LEASE_MS = 300_000;

/**
 * Our outbox with its whole protocol, without SQS in between: what is claimed goes to a worker at once, and each worker has
 * a connection and a commit of its own, as each Lambda instance has.
 */
export function outbox(database: BenchDatabase, width: number): Engine {
  const queuers = connect({ url: database.appUrl, max: width });
  const claimer = connect({ url: database.appUrl, max: 1 });
  const workers = connect({ url: database.appUrl, max: width });
  const claim = { sql: claimer, leaseMs: LEASE_MS, maxInFlight: () => width, newToken: () => randomUUID() };
  return {
    name: 'outbox',
    enqueue: (count) => atOnce(width, count, () => enqueueOne(queuers)),
    async drain(count) {
      const running = new Set<Promise<unknown>>();
      const failures: unknown[] = [];
      for (let left = count; left > 0 && failures.length === 0; ) {
        const tickets = await claimTask(claim, TASK);
        left -= tickets.length;
        for (const ticket of tickets) {
          const run = runOne(workers, ticket)
            .catch((error: unknown) => failures.push(error))
            .finally(() => running.delete(run));
          running.add(run);
        }
        if (tickets.length === 0 && running.size > 0) await Promise.race(running);
      }
      await Promise.all(running);
      if (failures.length > 0) throw failures[0];
    },
    close: async () => void (await Promise.all([queuers, claimer, workers].map((sql) => sql.end()))),
  };
}

/** A statement that commits by itself, as the others' is; a webhook's travels with all that the webhook changes. */
async function enqueueOne(sql: Sql): Promise<void> {
  const id = randomUUID();
  const task = {
    task: TASK,
    merchantOrderId: id,
    clinkOrderId: null,
    payload: {},
    dedupeKey: `fulfill:${id}`,
  } as const;
  await queueTask(sql, `event_${id}`, task);
}

async function runOne(sql: Sql, ticket: Ticket): Promise<void> {
  const take = { ticket: ticket.claimToken, claimToken: randomUUID(), workerId: 'worker', leaseMs: LEASE_MS };
  const owned = await takeOver(sql, { id: ticket.id, ...take });
  if (!owned || !(await finishTask(sql, owned))) throw new Error('a task was lost on its way');
}
