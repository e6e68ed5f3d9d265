import type { Server } from 'node:http';

const PATIENCE_MS = 5_000;

/** Takes no more requests, lets those under way finish for a while, then cuts whatever is left. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  await closed;
  clearTimeout(timer);
}
