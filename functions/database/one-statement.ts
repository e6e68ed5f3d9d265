import type { Transaction } from './connection.ts';

/** A write that has not been sent: what postgres.js gives before it is awaited. */
export type Write = ReturnType<Transaction['unsafe']>;

/**
 * Several writes as one statement: what PostgreSQL does to take a statement in and to answer it costs more than most writes
 * themselves. They all see what was there before the first of them, so none may read or change what another one writes.
 * They are done in the order given, which is the reverse of how they stand in the text: PostgreSQL does not promise an
 * order, and keeps this one. The first failure is the statement's, with the name of the constraint that was violated.
 */
export function asOneStatement(tx: Transaction, writes: readonly Write[]): Write {
  return tx(textFor(writes.length), ...writes.toReversed());
}

/** Made once for each length, as postgres.js remembers every template that it has been given. */
const texts = new Map<number, TemplateStringsArray>();

function textFor(count: number): TemplateStringsArray {
  const known = texts.get(count);
  if (known) return known;
  const between = Array.from({ length: count - 1 }, (_, at) => `), write_${at + 2} AS (`);
  const parts = ['WITH write_1 AS (', ...between, ') SELECT'];
  const text = Object.assign(parts, { raw: parts });
  texts.set(count, text);
  return text;
}
