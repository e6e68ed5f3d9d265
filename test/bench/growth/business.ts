import { randomUUID } from 'node:crypto';
import { connect, type Sql } from '../../../functions/database/connection.ts';
import { finishTask, takeOver } from '../../../functions/database/outbox.ts';
import { receiveEvent } from '../../../functions/flows/receive-event.ts';
import { claimTask } from '../../../functions/outbox/claim-task.ts';
import { handlerOf, type NewOrder, newOrders } from '../delivery/deliveries.ts';
import type { BenchDatabase } from '../part.ts';

/** A backend at work on one of the databases. */
export interface Business {
  readonly name: string;
  readonly owner: Sql;
  readonly app: Sql;
  /** Events per second of the deliveries about so many new orders, three each. */
  eventsPerSecond(orders: number): Promise<number>;
  /** How long each of so many claims takes, in milliseconds, of the tasks that the orders have left. */
  claimTimes(claims: number): Promise<number[]>;
  close(): Promise<void>;
}

const EVENTS_EACH = 3;
const AT_ONCE = 8;
const LEASE_MS = 300_000;

export function openBusiness(name: string, database: BenchDatabase): Business {
  const owner = connect({ url: database.ownerUrl, max: 1 });
  const app = connect({ url: database.appUrl, max: AT_ONCE });
  const wakeUp = async (): Promise<void> => undefined;
  const deliver = handlerOf((event, body) => receiveEvent({ sql: app, wakeUp }, event, body));

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
    name,
    owner,
    app,
    async eventsPerSecond(orders) {
      const next = (await newOrders(owner, orders)).values();
      const begun = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, () => deliverEach(next)));
      return (orders * EVENTS_EACH) / ((performance.now() - begun) / 1000);
    },
    async claimTimes(claims) {
      const times: number[] = [];
      const claim = { sql: app, leaseMs: LEASE_MS, maxInFlight: () => 1, newToken: randomUUID };
      for (let n = 0; n < claims; n++) {
        const begun = performance.now();
        const [ticket] = await claimTask(claim, 'fulfill');
        times.push(performance.now() - begun);
        if (!ticket) throw new Error('no task was left to claim');
        await finish(ticket);
      }
      return times;
    },
    async close() {
      await Promise.all([owner.end(), app.end()]);
      await database.drop();
    },
  };
}
