import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

/** A way to a PostgreSQL server that is as long as asked for, and counts how often the client waits on it. */
export interface Line {
  /** The server's URL, by way of the line. */
  readonly url: string;
  /** Round trips so far, on all connections: bytes of the client's that follow bytes of the server's begin one. */
  readonly roundTrips: number;
  close(): Promise<void>;
}

/** Whatever is sent arrives half of `roundTripMs` later, in order; what is sent meanwhile does not wait for it. */
export async function startLine(serverUrl: string, roundTripMs = 0): Promise<Line> {
  const { hostname: host, port } = new URL(serverUrl);
  const afterDelay = delaying(roundTripMs / 2);
  const sockets = new Set<Socket>();
  let roundTrips = 0;

  const listener = createServer({ noDelay: true }, (client) => {
    const server = createConnection({ host, port: Number(port), noDelay: true });
    let isAnswered = true;
    client.on('data', (bytes) => {
      if (isAnswered) roundTrips++;
      isAnswered = false;
      afterDelay(() => write(server, bytes));
    });
    server.on('data', (bytes) => {
      afterDelay(() => {
        isAnswered = true;
        write(client, bytes);
      });
    });
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        afterDelay(() => other.destroy());
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the line has no port');
  return {
    url: Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(address.port) }).href,
    get roundTrips() {
      return roundTrips;
    },
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** What is due at one time goes out in one piece, as it would from a network card. */
function write(socket: Socket, bytes: Uint8Array): void {
  socket.cork();
  socket.write(bytes);
  process.nextTick(() => socket.uncork());
}

/** The longest sleep between two looks at the clock, in milliseconds. */
const NAP_MS = 0.05;

/**
 * Takes steps to be run `ms` later, in the order given. A timer of Node's is good to a whole millisecond only, so while
 * steps wait, the thread naps and looks at the clock.
 */
function delaying(ms: number): (step: () => void) => void {
  if (ms === 0) return (step) => step();
  const waiting: { readonly dueAt: number; readonly step: () => void }[] = [];
  const nothing = new Int32Array(new SharedArrayBuffer(4));

  function look(): void {
    for (let next = waiting[0]; next && next.dueAt <= performance.now(); next = waiting[0]) {
      waiting.shift();
      next.step();
    }
    if (waiting.length === 0) return;
    Atomics.wait(nothing, 0, 0, NAP_MS);
    setImmediate(look);
  }
  return (step) => {
    waiting.push({ dueAt: performance.now() + ms, step });
    if (waiting.length === 1) setImmediate(look);
  };
}
