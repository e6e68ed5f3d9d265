import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startLine } from './line.ts';

/** A line on a thread of its own, so that its work is not taken for the client's. */
export async function startLineThread(serverUrl: string, roundTripMs: number) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { serverUrl, roundTripMs } });
  const [url] = (await once(thread, 'message')) as [string];
  return { url, close: () => thread.terminate() };
}

if (!isMainThread) {
  const { serverUrl, roundTripMs } = workerData as { serverUrl: string; roundTripMs: number };
  parentPort?.postMessage((await startLine(serverUrl, roundTripMs)).url);
}
