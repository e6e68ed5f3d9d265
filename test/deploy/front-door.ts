import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { closeServer } from '../../bin/local/close-server.ts';

/**
 * Passes requests on to an emulator on this machine and says that they came over TLS, as a balancer does that ends it:
 * the policies of our queues and of the CDK's bucket refuse anything else.
 */
export async function openFrontDoor(gateway: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming;
    const passed = request(`${gateway}${url}`, { method, headers: { ...headers, 'x-forwarded-proto': 'https' } });
    passed.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      void pipeline(answer, response).catch(() => response.destroy());
    });
    passed.once('error', () => response.destroy());
    void pipeline(incoming, passed).catch(() => passed.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeServer(server),
  };
}
