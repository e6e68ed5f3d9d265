import type { Snapshot } from '../proof/snapshot.ts';
import type { Clink } from './clink.ts';
import type { Ledger } from './ledger.ts';
import type { Tally } from './tally.ts';

const PROGRESS_EVERY_MS = 5_000;
const LONGEST_LIST = 50;

/** A line every few seconds. Returns what ends it. */
export function startProgress(tally: Tally, orders: number): () => void {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { begun, finished, refunds, violations } = tally;
    console.log(
      `  ${seconds} s: ${begun} of ${orders} orders begun, ${finished} through, ${refunds} refunds, ` +
        `${tally.faultCount()} faults, violations ${violations.size}`,
    );
  }, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

export interface Outcome {
  readonly tally: Tally;
  readonly clink: Clink;
  readonly ledger: Ledger;
  readonly stored: Snapshot;
  /** Failed tasks that the operator had to retry, by task. */
  readonly retried: ReadonlyMap<string, number>;
}

/** Prints what the run did and found. Returns the number of violations. */
export function report({ tally, ledger, stored, retried }: Outcome): number {
  const { violations, faults } = tally;
  print(
    'orders',
    stored.orders.length,
    countBy(stored.orders, ({ paymentStatus }) => paymentStatus),
  );
  print(
    'payment attempts at Clink',
    ledger.orders.length,
    countBy(ledger.orders, ({ status }) => status),
  );
  print(
    'events',
    stored.events.length,
    countBy(stored.events, ({ status }) => status),
  );
  print('refunds at Clink', ledger.refunds.length, new Map([['booked', stored.refunds.length]]));
  print(
    'cases',
    stored.cases.length,
    countBy(stored.cases, ({ reason }) => reason),
  );
  print(
    'tasks',
    stored.tasks.length,
    countBy(stored.tasks, ({ task, status }) => `${task} ${status}`),
  );
  print(
    'calls to the merchant',
    ledger.calls.length,
    countBy(ledger.calls, (c) => (c.accepted ? 'accepted' : 'not')),
  );
  print('tasks that an operator retried', sum(retried), retried);
  print('requests that shoppers repeated', tally.retries, new Map());
  print('faults', tally.faultCount(), faults);
  for (const words of [...violations].slice(0, LONGEST_LIST)) console.log(`  VIOLATION ${words}`);
  console.log(
    `faults: ${stored.orders.length} orders, ${stored.events.length} events, ${ledger.refunds.length} refunds, ` +
      `${stored.tasks.length} tasks, ${tally.faultCount()} faults, violations ${violations.size}`,
  );
  return violations.size;
}

function print(what: string, count: number, parts: ReadonlyMap<string, number>): void {
  const inDetail = Array.from(parts, ([kind, times]) => `${kind} ${times}`)
    .sort()
    .join(', ');
  console.log(`  ${what}: ${count}${inDetail === '' ? '' : ` (${inDetail})`}`);
}

function countBy<T>(rows: readonly T[], kindOf: (row: T) => string): ReadonlyMap<string, number> {
  return new Map(Array.from(Map.groupBy(rows, kindOf), ([kind, group]) => [kind, group.length]));
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((total, count) => total + count, 0);
}
