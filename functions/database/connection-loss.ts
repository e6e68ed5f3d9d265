import { setTimeout as wait } from 'node:timers/promises';

/** Of the socket and of postgres.js; PostgreSQL's own are those of class 08 and those of a server that is going down. */
const LOST: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  '57P01',
  '57P02',
  '57P03',
]);
/** postgres.js 3.4.9 never answers a query that is sent after the socket has failed and before it has closed. */
const SOCKET_CLOSES_WITHIN_MS = 50;

/** Whether a query failed with its connection: nothing is known of it, and the next one gets another connection. */
export function isConnectionLoss(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && (LOST.has(code) || code.startsWith('08'));
}

/**
 * Runs `query`, and once more when its connection was lost: an instance that was frozen wakes up with a dead socket. Only
 * for what may run twice.
 */
export async function retryingLoss<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!isConnectionLoss(error)) throw error;
    await wait(SOCKET_CLOSES_WITHIN_MS);
    return query();
  }
}
