import type { Transaction } from './connection.ts';

/** A write that has not been sent: what postgres.js gives before it is awaited. */
export type Write = ReturnType<Transaction['unsafe']>;

/**
 * Several writes as one statement: what PostgreSQL does to take a statement in and to answer it costs more than most writes
 * themselves. They all see what was there before the first of them, so none may read or change what another one writes.
 * They are done in the order given, which is the reverse of how they stand in the text: PostgreSQL does not promise an
 * order, and keeps this one. The first failure is the statement's, with the name of the constraint that was violated.
 * The answer has the rows that `answering` returns, if there is one; it is done before the others.
 */
export function asOneStatement(tx: Transaction, writes: readonly Write[], answering: Write | null = null): Write {
  const inText = [...(answering === null ? [] : [answering]), ...writes.toReversed()];
  return tx(textFor(inText.length, answering !== null), ...inText);
}

/** Made once for each shape, as postgres.js remembers every template that it has been given. */
const texts = new Map<string, TemplateStringsArray>();

function textFor(count: number, hasAnswer: boolean): TemplateStringsArray {
  const shape = `${count} ${hasAnswer}`;
  const known = texts.get(shape);
  if (known) return known;
  const between = Array.from({ length: count - 1 }, (_, at) => `), write_${at + 2} AS (`);
  const parts = ['WITH write_1 AS (', ...between, hasAnswer ? ') SELECT FROM write_1' : ') SELECT'];
  const text = Object.assign(parts, { raw: parts });
  texts.set(shape, text);
  return text;
}
