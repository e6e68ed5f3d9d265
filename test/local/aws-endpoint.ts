import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One address for SQS and Secrets Manager, as LocalStack has it. */
export async function startAwsEndpoint(
  sqsUrl: string,
  secretsManagerUrl: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(target.startsWith('secretsmanager.') ? secretsManagerUrl : sqsUrl, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: new Uint8Array(await buffer(request)),
    }).catch(() => null);
    if (answer === null) response.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
