/**
 * Lets a statement that is new to its connection travel whole, together with those around it. postgres.js 3.4.9 would
 * first ask for the types of its parameters and wait, which makes two round trips of every statement on a fresh
 * connection. It needs the types only to write times and lists; whatever else we pass, and a list marked with `array`, is
 * written alike for any column.
 */
export function sentWhole(query: unknown, parameters: readonly unknown[]): unknown {
  if (query instanceof Promise && !parameters.some(isWrittenByType)) Object.setPrototypeOf(query, wholeLike(query));
  return query;
}

function isWrittenByType(parameter: unknown): boolean {
  if (parameter instanceof Promise) return Object.getPrototypeOf(parameter) !== whole;
  return Array.isArray(parameter) || parameter instanceof Date;
}

const WHOLE = { describeFirst: { get: () => false, set: () => undefined } };

let whole: object | undefined;

/** One prototype for all of postgres.js's queries: a property defined on each of them would make each slow to read. */
function wholeLike(query: object): object {
  whole ??= Object.create(Object.getPrototypeOf(query), WHOLE) as object;
  return whole;
}
