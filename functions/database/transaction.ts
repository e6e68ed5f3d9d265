import { hasLostConnection, type Sql, type Transaction } from './connection.ts';
import { isConnectionLoss } from './connection-loss.ts';
import { sentWhole } from './sent-whole.ts';

/** How a transaction's work ends: its result, and its last writes, not waited for. */
export interface Writes<T> {
  readonly result: T;
  readonly writes: readonly PromiseLike<unknown>[];
}

/**
 * Runs `work` in one READ COMMITTED transaction on one connection. BEGIN travels with the first queries of `work`, and
 * COMMIT with the writes that it leaves, so that reading, deciding and writing take two round trips. Any failure rolls
 * everything back, and what is thrown is the first failure in the order of the statements. A connection that is lost
 * before COMMIT was sent has changed nothing: then `work` runs once more, on another.
 */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<Writes<T>>): Promise<T> {
  let isCommitSent = false;
  const once = () => runOnce(sql, work, () => (isCommitSent = true));
  try {
    return await once();
  } catch (error) {
    if (isCommitSent || !isConnectionLoss(error)) throw error;
    return once();
  }
}

async function runOnce<T>(sql: Sql, work: (tx: Transaction) => Promise<Writes<T>>, onCommit: () => void): Promise<T> {
  const connection = watch(await reserve(sql));
  try {
    const result = await Promise.race([connection.cut, runAndCommit(connection, work, onCommit)]);
    connection.tx.release();
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Longer than a connection may take to open, and well within what a webhook's sender waits. */
const RESERVE_TIMEOUT_MS = 8_000;

class NoConnectionError extends Error {
  override readonly name = 'NoConnection';
}

/**
 * A connection of the pool for one transaction. postgres.js 3.4.9 forgets a reservation that has to open a connection anew
 * after one was lost, or that waits while one is lost: the first is avoided by a plain query, and so is the second while the
 * pool's first connection opens; else it is bounded.
 */
async function reserve(sql: Sql): Promise<Transaction> {
  if (await hasLostConnection(sql)) await sql`SELECT 1`;
  const reserved = sql.reserve();
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => tooLate.reject(new NoConnectionError('no database connection in time')),
    RESERVE_TIMEOUT_MS,
  );
  try {
    return await Promise.race([reserved, tooLate.promise]);
  } catch (error) {
    reserved.then((late) => late.release()).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface Watched {
  readonly tx: Transaction;
  readonly begun: Promise<PromiseSettledResult<unknown>[]>;
  /** Rejects when the connection is lost. */
  readonly cut: Promise<never>;
}

async function runAndCommit<T>(
  { tx, begun }: Watched,
  work: (tx: Transaction) => Promise<Writes<T>>,
  onCommit: () => void,
): Promise<T> {
  const { result, writes } = await work(tx);
  const commit = tx`COMMIT`;
  onCommit();
  const ended = await Promise.allSettled([...writes, commit]);
  // A failed statement makes PostgreSQL refuse all after it, so the first failure is the one that says what happened.
  for (const outcome of [...(await begun), ...ended]) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
  return result;
}

/**
 * Sends BEGIN and guards the connection. postgres.js 3.4.9 tells only its own `begin` that a reserved connection has
 * gone; a query sent on one after that would never be answered and would crash the process.
 */
function watch(reserved: Transaction): Watched {
  const { promise: cut, reject } = Promise.withResolvers<never>();
  let loss: Error | undefined;
  cut.catch((error: Error) => {
    loss = error;
  });
  const onexecute = (connection: { onclose: unknown }): true => {
    connection.onclose = reject;
    return true;
  };
  const begun = Promise.allSettled([reserved.unsafe('BEGIN', [], { onexecute } as object)]);
  const tx = new Proxy(reserved, {
    apply(target, self, args) {
      if (loss) throw loss;
      return sentWhole(Reflect.apply(target, self, args), args.slice(1));
    },
  });
  return { tx, begun, cut };
}

async function rollBack({ tx, cut }: Watched): Promise<void> {
  try {
    await Promise.race([cut, tx`ROLLBACK`]);
    tx.release();
  } catch {
    // The connection is gone, and the pool has let go of it already: releasing it now would hand out a dead one.
  }
}
