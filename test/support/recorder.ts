import { type RecordingServer, startRecordingServer } from '../platform/recording-server.ts';

export interface MerchantCall {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly data: Record<string, unknown>;
}

/** The merchant's own endpoint: keeps every call, and answers with the next scripted status, else 204. */
export interface Recorder {
  readonly url: string;
  readonly calls: MerchantCall[];
  /** Statuses of the next answers. */
  readonly statuses: number[];
  close(): Promise<void>;
}

export async function startRecorder(): Promise<Recorder> {
  const calls: MerchantCall[] = [];
  const statuses: number[] = [];
  const server: RecordingServer = await startRecordingServer((response, { path, headers, body }) => {
    const { data } = JSON.parse(body) as { data: Record<string, unknown> };
    calls.push({ path, idempotencyKey: String(headers['idempotency-key']), data });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  return { url: server.url, calls, statuses, close: server.close };
}
