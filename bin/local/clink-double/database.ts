import { DatabaseSync } from 'node:sqlite';

/**
 * Objects are kept as the JSON that the API answers, so that any field can be scripted; what is searched for is a
 * generated column. Everything of one request is committed before it is answered, and thus survives a SIGKILL.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL CHECK (json_valid(body)),
    token TEXT AS (body ->> 'token'), status TEXT AS (body ->> 'status'), expire TEXT AS (body ->> 'expire')
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS sessions_token ON sessions (token);
  CREATE INDEX IF NOT EXISTS sessions_open ON sessions (expire) WHERE status = 'open';

  CREATE TABLE IF NOT EXISTS orders (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL CHECK (json_valid(body)),
    session_id TEXT AS (body ->> 'sessionId'), customer_id TEXT AS (body ->> 'customerId'),
    merchant_reference_id TEXT AS (body ->> 'merchantReferenceId')
  ) STRICT;
  CREATE INDEX IF NOT EXISTS orders_session ON orders (session_id);
  CREATE INDEX IF NOT EXISTS orders_reference ON orders (merchant_reference_id);

  CREATE TABLE IF NOT EXISTS refunds (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL CHECK (json_valid(body)),
    order_id TEXT AS (body ->> 'orderId')
  ) STRICT;
  CREATE INDEX IF NOT EXISTS refunds_order ON refunds (order_id);

  CREATE TABLE IF NOT EXISTS coming_statuses (
    order_id TEXT PRIMARY KEY, status TEXT NOT NULL, due_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS customers (
    id TEXT PRIMARY KEY, email TEXT UNIQUE, reference TEXT UNIQUE
  ) STRICT;

  CREATE TABLE IF NOT EXISTS events (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, lane TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_lane ON events (lane, created);

  CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY, event_id TEXT NOT NULL REFERENCES events, lane TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'held', 'delivered', 'given_up', 'dropped')),
    attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, last_result TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_queued ON deliveries (lane, id, due_at) WHERE state = 'queued';
`;

/** Opens the double's file, or `:memory:`, and creates what is missing. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
  database.exec(SCHEMA);
  return database;
}

/** Runs the work in one transaction: all of it is stored, or nothing when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
