import type { Sql, Transaction } from '../../functions/database/connection.ts';

/** Keeps an actor's queries back until the scheduler lets them go, all that have gathered by then together. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  get waiting(): number {
    return this.#waiting.length;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sends what waits as one flight. */
  release(): void {
    for (const send of this.#waiting.splice(0)) {
      this.#inFlight += 1;
      send();
    }
  }

  keep(query: unknown): unknown {
    if (!(query instanceof Promise)) return query;
    // A query of postgres.js hands itself to `handler` when it is first waited for; a fragment of another never does.
    const held = query as unknown as { handler: Handler };
    const { handler } = held;
    const whenSettled = () => {
      this.#inFlight -= 1;
    };
    const wait: Handler = (ready) => {
      this.#waiting.push(() => {
        Promise.prototype.then.call(query, whenSettled, whenSettled);
        handler(ready);
      });
    };
    held.handler = Object.assign(wait, { debug: handler.debug });
    return query;
  }
}

type Handler = ((query: unknown) => void) & { debug?: unknown };

/** Changes the texts between a statement's parameters; to see a proof fail. */
export type Rewrite = (texts: readonly string[]) => readonly string[];

/** The same pool or connection, whose queries wait at the gate. */
export function gatedSql<T extends Sql | Transaction>(sql: T, gate: Gate, rewrite?: Rewrite): T {
  return new Proxy(sql, {
    apply: (target, self, args: unknown[]) => gate.keep(Reflect.apply(target, self, rewritten(args, rewrite))),
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key === 'reserve') return async () => gatedSql(await (target as Sql).reserve(), gate, rewrite);
      if (key === 'unsafe') return (...args: unknown[]) => gate.keep(Reflect.apply(target.unsafe, target, args));
      return value;
    },
  });
}

function rewritten(args: unknown[], rewrite: Rewrite | undefined): unknown[] {
  const [strings, ...values] = args;
  if (!rewrite || !Array.isArray(strings) || !('raw' in strings)) return args;
  const texts = [...rewrite(strings as readonly string[])];
  return [Object.assign(texts, { raw: texts }), ...values];
}
