import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from '../../functions/database/connection.ts';
import { breaches } from '../proof/invariants.ts';
import { type Snapshot, snapshotOfDatabase } from '../proof/snapshot.ts';
import type { Backend } from './backend.ts';
import type { Clink } from './clink.ts';
import type { Database } from './database.ts';
import { differences } from './differences.ts';
import { type Ledger, readLedger } from './ledger.ts';
import type { Tally } from './tally.ts';

/** Keeps what is stored at a few moments of the run, to judge each moment and each step between two when it is over. */
export class Observer {
  readonly #database: Database;
  readonly #snapshots: Snapshot[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  async watch(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
      // The database may be down.
      await this.#look().catch(() => undefined);
    }
  }

  /** Judges everything that was seen, and holds the end of it against both ledgers. */
  async compare(tally: Tally, { url }: Clink, { stack }: Backend): Promise<{ ledger: Ledger; stored: Snapshot }> {
    const stored = await this.#look();
    const [state, calls] = await Promise.all([
      textAt(`${url}/control/state`),
      textAt(`${stack.shopUrl}/control/calls`),
    ]);
    const ledger = readLedger(state, calls);
    for (const words of differences(ledger, stored)) tally.violation(words);
    for (const [index, now] of this.#snapshots.entries()) {
      for (const words of breaches(now, this.#snapshots[index - 1] ?? null)) tally.violation(words);
    }
    return { ledger, stored };
  }

  /** One moment, though everybody writes. */
  async #look(): Promise<Snapshot> {
    const snapshot = await this.#database.sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', (tx) =>
      snapshotOfDatabase(tx as unknown as Sql),
    );
    this.#snapshots.push(snapshot);
    return snapshot;
  }
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url);
  return response.text();
}
