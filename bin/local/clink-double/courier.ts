import type { DatabaseSync } from 'node:sqlite';
import { type Delivery, dueDeliveries, nextDueAt, recordAttempt } from './deliveries.ts';
import { signatureHeaders } from './signing.ts';

export interface CourierOptions {
  database: DatabaseSync;
  webhookUrl: () => string;
  signingSecret: () => string;
  now: () => number;
  retryDelaysMs: readonly number[];
}

const AT_ONCE = 8;
const TIMEOUT_MS = 10_000;

/**
 * Sends the queued deliveries: one after another within a lane, several lanes at once. A failed delivery is put off
 * by the next retry delay and lets the later ones of its lane pass; after the last delay it is given up.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** Starts whatever is due, and sets the clock for what is not. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    const { database, now } = this.#options;
    // Twice the limit, for those under way are still listed.
    for (const delivery of dueDeliveries(database, now(), 2 * AT_ONCE)) this.#start(delivery);
    const dueAt = nextDueAt(database, now());
    if (dueAt !== undefined) this.#timer = setTimeout(() => this.wake(), Math.max(dueAt - now(), 1));
  }

  /** Breaks off what is under way; it stays queued as it was. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#underWay.values());
  }

  #start(delivery: Delivery): void {
    if (this.#underWay.has(delivery.lane) || this.#underWay.size >= AT_ONCE) return;
    const work = this.#deliver(delivery).finally(() => {
      this.#underWay.delete(delivery.lane);
      this.wake();
    });
    this.#underWay.set(delivery.lane, work);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const result = await this.#send(delivery.body);
    if (this.#stopping.signal.aborted && result === 'no answer') return;
    const { database, now, retryDelaysMs } = this.#options;
    const delay = retryDelaysMs[delivery.attempts];
    const state = /^2\d\d$/.test(result) ? 'delivered' : delay === undefined ? 'given_up' : 'queued';
    recordAttempt(database, delivery, { state, result, dueAt: now() + (delay ?? 0) });
  }

  /** The answer's HTTP status as text, or `no answer`. */
  async #send(body: string): Promise<string> {
    const { webhookUrl, signingSecret, now } = this.#options;
    try {
      const response = await fetch(webhookUrl(), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signatureHeaders(signingSecret(), now(), body) },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return String(response.status);
    } catch {
      return 'no answer';
    }
  }
}
