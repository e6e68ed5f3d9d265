import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { isJsonObject, type JsonObject, parseJson } from '../../../functions/clink/json.ts';

/** The stored objects of one kind, each the JSON that the API answers. */
export class Shelf {
  readonly #database: DatabaseSync;
  readonly #table: 'sessions' | 'orders' | 'refunds';

  constructor(database: DatabaseSync, table: 'sessions' | 'orders' | 'refunds') {
    this.#database = database;
    this.#table = table;
  }

  get(id: string): JsonObject | undefined {
    return this.where('id = ?', id)[0];
  }

  /** Stores the object, or merges the fields into the one that is there. Returns what is stored now. */
  put(id: string, fields: JsonObject): JsonObject {
    const body = { ...this.get(id), ...fields };
    this.#database
      .prepare(
        `INSERT INTO ${this.#table} (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
      )
      .run(id, JSON.stringify(body));
    return body;
  }

  /** The objects that match an SQL condition over the table's generated columns, oldest first. */
  where(condition: string, ...values: SQLInputValue[]): JsonObject[] {
    return this.#read(`WHERE ${condition} ORDER BY seq`, values);
  }

  /** The latest objects, newest first. */
  latest(count: number): JsonObject[] {
    return this.#read('ORDER BY seq DESC LIMIT ?', [count]);
  }

  #read(clause: string, values: readonly SQLInputValue[]): JsonObject[] {
    const rows = this.#database.prepare(`SELECT body FROM ${this.#table} ${clause}`).all(...values);
    return rows.map((row) => parseJson(String(row.body))).filter(isJsonObject);
  }
}
