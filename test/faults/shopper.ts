import { setTimeout as wait } from 'node:timers/promises';
import type { Backend } from './backend.ts';
import type { Randomness } from './randomness.ts';
import { request } from './request.ts';
import type { Tally } from './tally.ts';

export interface Purchase {
  readonly merchantOrderId: string;
  readonly checkoutUrl: string;
}

const PRODUCTS = ['enamel-mug', 'linen-notebook', 'tenugui-cloth', 'toraja-coffee'] as const;
const PATIENCE_MS = 240_000;
/** How much of the money's way a view of the order has seen; it may only rise. */
const RANK: ReadonlyMap<unknown, number> = new Map([
  ['paid', 1],
  ['partially_refunded', 2],
  ['refunded', 3],
]);

/** A person with a browser: buys with one idempotency key until there is an answer, and looks at the order now and then. */
export class Shopper {
  readonly #backend: Backend;
  readonly #tally: Tally;
  readonly #randomness: Randomness;
  readonly #customer: number;
  #rank = 0;

  constructor(backend: Backend, tally: Tally, randomness: Randomness) {
    this.#backend = backend;
    this.#tally = tally;
    this.#randomness = randomness;
    this.#customer = randomness.whole(0, 1);
  }

  /** Null when no answer ever came, which is a violation. Some shoppers click twice. */
  async buy(idempotencyKey: string): Promise<Purchase | null> {
    const order = { productId: this.#randomness.pick(PRODUCTS), quantity: this.#randomness.whole(1, 3) };
    const clicks = this.#randomness.chance(0.2) ? 2 : 1;
    const purchases = await Promise.all(
      Array.from({ length: clicks }, () => this.#ask({ ...order }, idempotencyKey, this.#randomness.fork())),
    );
    const [first, second = first] = purchases;
    if (first?.merchantOrderId !== second?.merchantOrderId || first?.checkoutUrl !== second?.checkoutUrl)
      this.#tally.violation(`two clicks on ${idempotencyKey} led to two purchases`);
    return first ?? null;
  }

  /** What the shopper reads about the order; null when it cannot be had now. */
  async look(merchantOrderId: string): Promise<string | null> {
    const { apiUrl } = this.#backend.stack;
    const answer = await request('GET', `${apiUrl}/api/orders/${merchantOrderId}`, {
      headers: this.#headers(),
      timeoutMs: 5_000,
    });
    if (answer?.status !== 200) {
      if (answer && answer.status < 500)
        this.#tally.violation(`${merchantOrderId} was shown with HTTP ${answer.status}`);
      return null;
    }
    const display = String(answer.body?.display);
    const rank = RANK.get(display) ?? 0;
    if (rank < this.#rank) this.#tally.violation(`${merchantOrderId} was shown as ${display} after more than that`);
    this.#rank = rank;
    return display;
  }

  async #ask(body: object, idempotencyKey: string, randomness: Randomness): Promise<Purchase | null> {
    const endsAt = Date.now() + PATIENCE_MS;
    while (Date.now() < endsAt) {
      const answer = await request('POST', `${this.#backend.stack.apiUrl}/api/checkout/create`, {
        body,
        headers: { ...this.#headers(), 'idempotency-key': idempotencyKey },
        timeoutMs: randomness.pick([1_000, 8_000, 30_000]),
      });
      if (answer?.status === 200) return answer.body as unknown as Purchase;
      const code = Object(answer?.body?.error).code;
      if (answer && answer.status < 500 && code !== 'checkout_in_progress') {
        this.#tally.violation(`a checkout was answered with HTTP ${answer.status} ${code}`);
        return null;
      }
      this.#tally.retries += 1;
      await wait(randomness.whole(100, 1_500));
    }
    this.#tally.violation(`the checkout ${idempotencyKey} was never answered`);
    return null;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#backend.stack.customers[this.#customer]?.token}` };
  }
}
