import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startSqs } from '../../../bin/local/aws/sqs.ts';

/** SQS outside of the thread that the functions run in, as it is outside of theirs on AWS. */
export interface SqsThread {
  readonly url: string;
  close(): Promise<void>;
}

export async function startSqsThread(region: string): Promise<SqsThread> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { region } });
  const [url] = (await once(worker, 'message')) as [string];
  return { url, close: async () => void (await worker.terminate()) };
}

if (!isMainThread) {
  const { url } = await startSqs({ port: 0, ...(workerData as { region: string }) });
  parentPort?.postMessage(url);
}
