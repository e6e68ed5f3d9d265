import { randomUUID } from 'node:crypto';
import { connect, type Sql } from '../../../functions/database/connection.ts';
import { finishTask, takeOver } from '../../../functions/database/outbox.ts';
import { receiveEvent } from '../../../functions/flows/receive-event.ts';
import { claimTask } from '../../../functions/outbox/claim-task.ts';
import { handlerOf, type NewOrder, newOrders } from '../delivery/deliveries.ts';
import type { BenchDatabase } from '../part.ts';

/** A backend at work on one of the databases. */
export interface Business {
  readonly owner: Sql;
  readonly app: Sql;
  /** Events per second of the deliveries about so many new orders, three each. */
  eventsPerSecond(orders: number): Promise<number>;
  /** How long the claim of one of the tasks that the orders have left takes, in milliseconds. */
  claimTime(): Promise<number>;
  close(): Promise<void>;
}

const EVENTS_EACH = 3;
const AT_ONCE = 8;
const LEASE_MS = 300_000;

export function openBusiness(database: BenchDatabase): Business {
  const owner = connect({ url: database.ownerUrl, max: 1 });
  const app = connect({ url: database.appUrl, max: AT_ONCE });
  const wakeUp = async (): Promise<void> => undefined;
  const deliver = handlerOf((event, body) => receiveEvent({ sql: app, wakeUp }, event, body));
  const claim = { sql: app, leaseMs: LEASE_MS, maxInFlight: () => 1, newToken: randomUUID };

  async function deliverEach(orders: Iterable<NewOrder>): Promise<void> {
    for (const { created, succeeded, completed } of orders) {
      for (const event of [created, succeeded, completed]) await deliver(event);
    }
  }

  async function finish(ticket: { id: number; claimToken: string }): Promise<void> {
    const take = {
      ...ticket,
      ticket: ticket.claimToken,
      claimToken: randomUUID(),
      workerId: 'bench',
      leaseMs: LEASE_MS,
    };
    const owned = await takeOver(app, take);
    if (owned) await finishTask(app, owned);
  }

  return {
    owner,
    app,
    async eventsPerSecond(orders) {
      const next = (await newOrders(owner, orders)).values();
      const begun = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, () => deliverEach(next)));
      return (orders * EVENTS_EACH) / ((performance.now() - begun) / 1000);
    },
    async claimTime() {
      const begun = performance.now();
      const [ticket] = await claimTask(claim, 'fulfill');
      const time = performance.now() - begun;
      if (!ticket) throw new Error('no task was left to claim');
      await finish(ticket);
      return time;
    },
    async close() {
      await Promise.all([owner.end(), app.end()]);
      await database.drop();
    },
  };
}
