import { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../../../functions/clink/json.ts';

/** The outbox tasks that call the merchant. */
export const MERCHANT_TASKS = [
  'fulfill',
  'apply_refund_policy',
  'manual_reconciliation',
  'page_outbox_failure',
] as const;
export type MerchantTask = (typeof MERCHANT_TASKS)[number];

export interface MerchantCall {
  readonly id: number;
  readonly task: MerchantTask;
  readonly idempotencyKey: string;
  /** ISO 8601 in UTC. */
  readonly receivedAt: string;
  /** HTTP status of the answer, decided when the call came; a hanging call gives it late. */
  readonly status: number;
  readonly body: JsonObject;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY, task TEXT NOT NULL, idempotency_key TEXT NOT NULL, received_at TEXT NOT NULL,
    status INTEGER NOT NULL, body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
`;

/** Every call that the demo merchant received, on disk before it is answered. */
export class MerchantLedger {
  readonly #database: DatabaseSync;

  /** A file that outlives the process, SIGKILL included, or `:memory:`. */
  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    this.#database.exec(SCHEMA);
  }

  record({ task, idempotencyKey, receivedAt, status, body }: Omit<MerchantCall, 'id'>): void {
    this.#database
      .prepare('INSERT INTO calls (task, idempotency_key, received_at, status, body) VALUES (?, ?, ?, ?, ?)')
      .run(task, idempotencyKey, receivedAt, status, JSON.stringify(body));
  }

  /** All calls in the order of their receipt. */
  calls(): MerchantCall[] {
    return this.#select('ORDER BY id');
  }

  /** The first accepted call of each piece of work, newest first: what the merchant really did. */
  work(): MerchantCall[] {
    return this.#select(
      'WHERE id IN (SELECT min(id) FROM calls WHERE status BETWEEN 200 AND 299 GROUP BY task, idempotency_key) ORDER BY id DESC',
    );
  }

  close(): void {
    this.#database.close();
  }

  #select(rest: string): MerchantCall[] {
    const rows = this.#database
      .prepare(
        `SELECT id, task, idempotency_key AS idempotencyKey, received_at AS receivedAt, status, body FROM calls ${rest}`,
      )
      .all();
    return rows.map((row) => ({ ...row, body: JSON.parse(String(row.body)) })) as unknown as MerchantCall[];
  }
}
