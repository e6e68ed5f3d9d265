import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface RecordingServer {
  readonly url: string;
  readonly requests: Recorded[];
  close(): Promise<void>;
}

/** A real HTTP server that keeps what it was asked and answers as `respond` does. */
export async function startRecordingServer(
  respond: (response: ServerResponse, request: Recorded) => void | Promise<void>,
): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    void text(incoming).then((body) => {
      const recorded = { method, path, headers, body };
      requests.push(recorded);
      return respond(response, recorded);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
