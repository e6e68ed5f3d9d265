import type { ClinkEvent } from '../../functions/decisions/event.ts';
import { Money } from '../../functions/decisions/money.ts';
import { MemoryStore, type Rules } from '../support/memory-store.ts';
import { AGAIN, endOf } from './end.ts';
import { breaches } from './invariants.ts';
import { type Snapshot, snapshotOfStore } from './snapshot.ts';
import type { History, World } from './world.ts';

/** A breach, with the arrivals that led to it. */
export interface Violation {
  readonly history: string;
  readonly what: string;
  readonly steps: readonly string[];
}

export interface Findings {
  /** Complete orders of arrival, one for each order and treatment. */
  readonly orders: number;
  /** Complete orders of arrival with one event delivered twice. */
  readonly doubled: number;
  /** Orders of arrival whose first events were lost and came last, after everything else had been settled. */
  readonly lost: number;
  readonly violations: readonly Violation[];
}

/** What happens between two arrivals. */
export interface Treatment {
  readonly name: string;
  after(store: MemoryStore, world: World): void;
}

const LEFT_ALONE: Treatment = { name: 'nothing in between', after: () => undefined };

export const TREATMENTS: readonly Treatment[] = [
  LEFT_ALONE,
  { name: 'deferred events retried', after: (store, { truth }) => store.retryDeferred(truth) },
  { name: 'Clink asked', after: (store, { truth }) => store.drain(truth) },
  {
    name: 'deferred events given up',
    after(store, { truth }) {
      store.retryDeferred(truth);
      for (const event of store.pendingEvents) store.giveUp(`reprocess_webhook:${event.id}`);
    },
  },
];

/** Up to this many events, every order is also tried with each event delivered a second time at each place. */
const DOUBLED_UP_TO = 5;
/** A broken rule breaks it in thousands of orders; the first few tell enough. */
const ENOUGH = 5;

/** Tries every order of a history's events under every treatment. */
export function tryEveryOrder(history: History, rules?: Rules): Findings {
  const search = new Search(history, rules);
  for (const treatment of TREATMENTS) search.everyOrder(history.events, treatment);
  search.expectEveryEnd();
  for (const event of history.events) search.twice(event);
  search.losses();
  return search.findings;
}

class Search {
  readonly #history: History;
  readonly #rules: Rules | undefined;
  readonly #ends = new Set<string>();
  readonly #violations: Violation[] = [];
  #orders = 0;
  #doubled = 0;
  #lost = 0;

  constructor(history: History, rules: Rules | undefined) {
    this.#history = history;
    this.#rules = rules;
  }

  get findings(): Findings {
    return { orders: this.#orders, doubled: this.#doubled, lost: this.#lost, violations: this.#violations };
  }

  everyOrder(events: readonly ClinkEvent[], treatment: Treatment): void {
    this.#walk(this.#start(treatment), events, treatment, (arrived) => {
      this.#orders++;
      this.#ends.add(this.#settle(arrived));
    });
  }

  /** The list of ends is as tight as it can be: one that no order comes to is a mistake in it. */
  expectEveryEnd(): void {
    for (const end of this.#history.ends) {
      if (!this.#ends.has(end)) this.#report(`no order ends in: ${end}`, []);
    }
  }

  /** A second delivery under the same id changes nothing; under another id, it changes nothing in the end. */
  twice(event: ClinkEvent): void {
    const { events } = this.#history;
    const again = { ...event, id: event.id + AGAIN };
    if (events.length <= DOUBLED_UP_TO) {
      this.#walk(this.#start(LEFT_ALONE), [...events, again], LEFT_ALONE, (arrived) => {
        this.#doubled++;
        this.#settle(arrived);
      });
      return;
    }
    for (const [at] of events.entries()) {
      const order = [...events.slice(at), ...events.slice(0, at)];
      this.#doubled++;
      this.#settle(
        order.concat(again).reduce((arrived, next) => this.#arrive(arrived, next, LEFT_ALONE), this.#start(LEFT_ALONE)),
      );
    }
  }

  /** Every choice of events that are lost at first, with every order of the others; Clink sends the lost ones again. */
  losses(): void {
    const { events, truth } = this.#history;
    this.#walk(
      this.#start(LEFT_ALONE),
      events,
      LEFT_ALONE,
      () => undefined,
      (arrived, missing) => {
        this.#lost++;
        let now: Arrived = {
          store: arrived.store.copy(),
          before: arrived.before,
          steps: [...arrived.steps, 'the rest is lost'],
        };
        now.store.drain(truth);
        now = this.#check(now);
        for (const what of untrue(now.before, this.#history)) this.#report(what, now.steps);
        this.#settle(missing.reduce((last, next) => this.#arrive(last, next, LEFT_ALONE), now));
      },
    );
  }

  #start({ name }: Treatment): Arrived {
    const rules = this.#rules;
    const store = new MemoryStore(this.#history.orders, rules ? { rules } : {});
    return { store, before: snapshotOfStore(store), steps: [`(${name})`] };
  }

  #walk(
    arrived: Arrived,
    missing: readonly ClinkEvent[],
    treatment: Treatment,
    atEnd: (arrived: Arrived) => void,
    onTheWay: (arrived: Arrived, missing: readonly ClinkEvent[]) => void = () => undefined,
  ): void {
    if (this.#violations.length >= ENOUGH) return;
    if (missing.length === 0) {
      atEnd(arrived);
      return;
    }
    onTheWay(arrived, missing);
    for (const [at, event] of missing.entries()) {
      const next = this.#arrive({ ...arrived, store: arrived.store.copy() }, event, treatment);
      this.#walk(next, missing.toSpliced(at, 1), treatment, atEnd, onTheWay);
    }
  }

  #arrive({ store, before, steps }: Arrived, event: ClinkEvent, treatment: Treatment): Arrived {
    const decision = store.deliver(event);
    const now = this.#check({ store, before, steps: [...steps, `${event.id} -> ${decision?.reason}`] });
    if (store.deliver(event) !== null) this.#report('a second delivery of one id was taken in', now.steps);
    treatment.after(store, this.#history);
    return treatment === LEFT_ALONE ? now : this.#check(now);
  }

  /** Lets everything that is still to be done be done, and holds the end against the ends that are allowed. */
  #settle({ store, before, steps }: Arrived): string {
    store.drain(this.#history.truth);
    const { before: now } = this.#check({ store, before, steps });
    const end = endOf(now);
    if (!this.#history.ends.includes(end)) this.#report(`ends in: ${end}`, steps);
    return end;
  }

  #check({ store, before, steps }: Arrived): Arrived {
    const now = snapshotOfStore(store);
    for (const what of breaches(now, before)) this.#report(what, steps);
    return { store, before: now, steps };
  }

  #report(what: string, steps: readonly string[]): void {
    if (this.#violations.some((known) => known.what === what)) return;
    if (this.#violations.length < ENOUGH) this.#violations.push({ history: this.#history.name, what, steps });
  }
}

interface Arrived {
  readonly store: MemoryStore;
  /** The state that was last checked. */
  readonly before: Snapshot;
  readonly steps: readonly string[];
}

const TAKEN: ReadonlySet<string | null> = new Set(['success', 'partial_refunded', 'refunded']);

/** What is stored of money that Clink would not confirm. */
function* untrue({ orders }: Snapshot, { truth }: World): Iterable<string> {
  for (const { id, refundBasis } of orders) {
    if (!refundBasis) continue;
    const { status, amountTotal } = truth.order(refundBasis.clinkOrderId);
    const isSame = TAKEN.has(status) && new Money(amountTotal ?? -1).equals(refundBasis.amount);
    if (!isSame) yield `${id} is paid by ${refundBasis.clinkOrderId}, of which Clink says ${status} ${amountTotal}`;
  }
}
