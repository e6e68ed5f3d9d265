import { Webhook } from 'standardwebhooks';
import { startRecordingServer } from '../platform/recording-server.ts';

export interface Call {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The merchant's endpoint: takes what is signed with its secret, and refuses the rest. */
export interface Merchant {
  readonly url: string;
  readonly calls: readonly Call[];
  readonly refused: readonly string[];
  close(): Promise<void>;
}

export async function openMerchant(signingSecret: string): Promise<Merchant> {
  const calls: Call[] = [];
  const refused: string[] = [];
  const webhook = new Webhook(signingSecret);
  const { url, close } = await startRecordingServer((response, { path, headers, body }) => {
    try {
      const { data } = webhook.verify(body, headers as Record<string, string>) as { data: Call['data'] };
      calls.push({ path, idempotencyKey: String(headers['idempotency-key']), data });
      response.writeHead(204).end();
    } catch {
      refused.push(path);
      response.writeHead(401).end();
    }
  });
  return { url, calls, refused, close };
}
