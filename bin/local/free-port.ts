import { createServer } from 'node:net';

/** A loopback port that is free now: `wanted` when it is, else any. */
export async function freePort(wanted = 0): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => settle(typeof address === 'object' && address ? address.port : null));
    });
  });
}
