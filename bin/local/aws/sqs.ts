import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';

export interface LocalSqs {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * SQS in this process and in memory; on loopback only, where fauxqs by itself would listen to the whole network. Its
 * queues are named below a subdomain of localhost, which many machines cannot resolve, and the SDK sends to the host in
 * a queue's URL, so that host is exchanged on the way out and back on the way in.
 */
export async function startSqs({ port, region }: { port: number; region: string }): Promise<LocalSqs> {
  const app = buildApp({ logger: false, defaultRegion: region });
  const actualPort = (): number => (app.server.address() as AddressInfo).port;
  const host = (): string => `127.0.0.1:${actualPort()}`;
  const namedHost = (): string => `sqs.${region}.localhost:${actualPort()}`;

  app.addHook('preHandler', async ({ body }) => {
    const call = Object(body) as { QueueUrl?: unknown };
    if (typeof call.QueueUrl === 'string') call.QueueUrl = call.QueueUrl.replace(host(), namedHost());
  });
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? payload.replaceAll(`http://${namedHost()}/`, `http://${host()}/`) : payload,
  );
  const url = await app.listen({ port, host: '127.0.0.1' });
  return {
    url,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
