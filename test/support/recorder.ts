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
  /** Keeps back the answer to the next call. */
  hold(): HeldCall;
  close(): Promise<void>;
}

export interface HeldCall {
  /** Resolves when the call is here. */
  readonly arrived: Promise<void>;
  release(): void;
}

export async function startRecorder(): Promise<Recorder> {
  const calls: MerchantCall[] = [];
  const statuses: number[] = [];
  const holds: { arrived: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> }[] = [];
  const server: RecordingServer = await startRecordingServer(async (response, { path, headers, body }) => {
    const { data } = JSON.parse(body) as { data: Record<string, unknown> };
    calls.push({ path, idempotencyKey: String(headers['idempotency-key']), data });
    const hold = holds.shift();
    hold?.arrived.resolve();
    await hold?.released.promise;
    response.writeHead(statuses.shift() ?? 204).end();
  });
  return {
    url: server.url,
    calls,
    statuses,
    hold() {
      const hold = { arrived: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
      holds.push(hold);
      return { arrived: hold.arrived.promise, release: () => hold.released.resolve() };
    },
    close: server.close,
  };
}
