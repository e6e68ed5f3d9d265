import type { Sql } from '../../functions/database/connection.ts';
import type { TaskName } from '../../functions/decisions/decision.ts';
import type { ClinkEvent } from '../../functions/decisions/event.ts';
import type { MerchantOrder } from '../../functions/decisions/order.ts';
import { fulfillOrder } from '../../functions/flows/fulfill-order.ts';
import { openSession } from '../../functions/flows/open-session.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { claimTask } from '../../functions/outbox/claim-task.ts';
import { dispatch } from '../../functions/outbox/dispatch.ts';
import type { Lease } from '../../functions/outbox/lease.ts';
import { runTicket, type Work } from '../../functions/outbox/run-task.ts';
import { readTicket, type TicketMessage } from '../../functions/outbox/ticket.ts';
import type { ClinkTruth } from '../support/memory-store.ts';
import { bodyOf } from './body.ts';
import type { ProofDatabase } from './database.ts';
import { claimByKey, DatabaseStore } from './database-store.ts';
import type { Actor } from './scheduler.ts';
import { answerFlow, LEASE_MS, questionWorks, runDeps } from './work.ts';

export const MAX_ATTEMPT = 12;

/** What an actor says it did while it held a task. */
export interface Deed {
  readonly what: 'began' | 'delivered';
  readonly taskId: number;
  readonly token: string;
}

/** The database that actors meet in, and the actors. */
export class Stage {
  readonly store: DatabaseStore;
  readonly deeds: Deed[] = [];
  /** Rows that claimers got, one entry for each claim. */
  readonly claimed: number[] = [];
  readonly #db: ProofDatabase;
  readonly #truth: ClinkTruth;
  #tokens = 0;

  constructor(db: ProofDatabase, app: Sql, truth: ClinkTruth) {
    this.#db = db;
    this.#truth = truth;
    this.store = new DatabaseStore({ owner: db.owner, app }, truth);
  }

  async deliver(...events: readonly ClinkEvent[]): Promise<void> {
    for (const event of events) await this.store.deliver(event);
  }

  /** Claims a task for a worker that is to come; `attempt` tries have failed before. */
  async ticket(dedupeKey: string, attempt = 0): Promise<TicketMessage & { task: TaskName }> {
    const claimToken = `ticket:${dedupeKey}`;
    const claimed = await claimByKey(this.#db.owner, dedupeKey, claimToken);
    if (!claimed) throw new Error(`there is no ${dedupeKey} to claim`);
    await this.#db.owner`UPDATE outbox SET attempt = ${attempt} WHERE id = ${claimed.id}`;
    return { taskId: claimed.id, claimToken, eventId: null, task: claimed.task };
  }

  /** A worker that died: it had taken the row over, and its lease is over. */
  async crash(dedupeKey: string, attempt: number): Promise<void> {
    const { taskId } = await this.ticket(dedupeKey, attempt);
    await this.#db.owner`
      UPDATE outbox SET started_at = now() - interval '1 hour', lease_until = now() - interval '1 second'
      WHERE id = ${taskId}`;
  }

  webhook(name: string, event: ClinkEvent): Actor {
    return { name, run: (sql) => receiveEvent(answerFlow(sql, this.#truth), event, bodyOf(event)) };
  }

  /** A delivery, and whoever claims the first look at it again before anything else happens. */
  webhookLookedAtAgain(name: string, event: ClinkEvent): Actor {
    return {
      name,
      run: async (sql) => {
        await receiveEvent(answerFlow(sql, this.#truth), event, bodyOf(event));
        await this.#claimAndWork(name, sql, 'reprocess_webhook');
      },
    };
  }

  worker(name: string, { task, ...ticket }: TicketMessage & { task: TaskName }, deliver = deliverWell): Actor {
    return { name, run: (sql) => this.#work(name, sql, ticket, task, deliver) };
  }

  /** Claims up to `limit` tasks and hands them to workers that are slow to begin. */
  claimer(name: string, task: TaskName, limit: number): Actor {
    return { name, run: (sql) => this.#claim(name, sql, task, limit) };
  }

  /** Claims a task and does its work, as the claimer and the worker that it sends to would. */
  claimingWorker(name: string, task: TaskName): Actor {
    return { name, run: (sql) => this.#claimAndWork(name, sql, task) };
  }

  /** Time passes: the leases of this task run out. Then a claimer comes. */
  workerAfterLease(name: string, task: TaskName): Actor {
    return {
      name,
      run: async (sql) => {
        await sql`UPDATE outbox SET lease_until = now() - interval '1 second' WHERE task = ${task} AND status = 'processing'`;
        await this.#claimAndWork(name, sql, task);
      },
    };
  }

  checkout(name: string, order: MerchantOrder, session: { clinkSessionId: string; checkoutUrl: string }): Actor {
    const product = { id: 'poster', name: 'Poster', unitAmount: '19.99', quantity: 1 };
    const checkout = { id: order.id, requestHash: null, checkoutUrl: null, product, amount: '19.99', currency: 'USD' };
    const command = { customerId: 'c', customerEmail: null, productId: 'poster', quantity: 1, idempotencyKey: null };
    return {
      name,
      run: (sql) =>
        openSession(
          {
            ...answerFlow(sql, this.#truth),
            clink: { createSession: async () => session },
            shopUrls: { success: 'https://shop.example/return', cancel: 'https://shop.example/cancel' },
            now: () => 0,
            newId: () => order.id,
            wait: async () => undefined,
          },
          command,
          checkout,
        ),
    };
  }

  async #claimAndWork(name: string, sql: Sql, task: TaskName): Promise<void> {
    for (const message of await this.#claim(name, sql, task, 1)) {
      await this.#work(name, sql, message, task, deliverWell);
    }
  }

  async #claim(name: string, sql: Sql, task: TaskName, limit: number): Promise<TicketMessage[]> {
    const newToken = () => this.#newToken(name);
    const tickets = await claimTask({ sql, leaseMs: LEASE_MS, maxInFlight: () => limit, newToken }, task);
    const sent: string[] = [];
    const send = async (_url: string, body: string) => void sent.push(body);
    for (const ticket of tickets) {
      this.claimed.push(ticket.id);
      await dispatch({ sql, maxAttempt: MAX_ATTEMPT, send, queueUrlOf: () => '' }, ticket);
    }
    return sent.flatMap((body) => readTicket(body) ?? []);
  }

  async #work(name: string, sql: Sql, ticket: TicketMessage, task: TaskName, deliver: Deliver): Promise<void> {
    const done = (what: Deed['what'], taskId: number, token: string) => this.deeds.push({ what, taskId, token });
    const works: Partial<Record<TaskName, Work>> = {
      ...questionWorks(answerFlow(sql, this.#truth)),
      fulfill: async (owned, lease) => {
        const fulfill = () => deliver(lease, () => done('delivered', owned.id, lease.claimToken));
        await fulfillOrder({ sql, fulfillment: { fulfill } }, owned, lease);
      },
    };
    const work: Work = async (owned, lease) => {
      done('began', owned.id, lease.claimToken);
      await works[task]?.(owned, lease);
    };
    const deps = runDeps(sql, () => this.#newToken(name), MAX_ATTEMPT);
    await runTicket(deps, ticket, task, work, { workerId: name, remainingMs: 60_000 });
  }

  /** Says whose it is, so that a row can be held against who changed it. */
  #newToken(name: string): string {
    this.#tokens += 1;
    return `${name}:${this.#tokens}`;
  }
}

/** What the merchant does when asked for a delivery. */
type Deliver = (lease: Lease, delivered: () => void) => Promise<void>;

/** Asks for the lease before the side effect, as a heartbeat does. */
const deliverWell: Deliver = async (lease, delivered) => {
  await lease.ensureOwned();
  delivered();
};

export const deliverSlowly: Deliver = async (lease, delivered) => {
  for (let beat = 0; beat < 3; beat++) {
    await lease.ensureOwned();
    delivered();
  }
};

export const deliverBadly: Deliver = async () => {
  throw Object.assign(new Error('the merchant refuses'), { permanent: true });
};
