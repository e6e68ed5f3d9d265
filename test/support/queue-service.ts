import { startFauxqs } from 'fauxqs';
import { localStackUrl } from './localstack.ts';

/** Something that speaks SQS, and shows what waits in a queue without receiving it. */
export interface QueueService {
  readonly endpoint: string;
  /** Bodies, the oldest first, delayed messages last. */
  waiting(queueUrl: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** The LocalStack that this run is against, else SQS in this process on a port of its own. */
export async function startQueueService(): Promise<QueueService> {
  const url = localStackUrl();
  return url === null ? inThisProcess() : localStack(url);
}

async function inThisProcess(): Promise<QueueService> {
  const server = await startFauxqs({ port: 0, logger: false });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    async waiting(queueUrl) {
      const messages = server.inspectQueue(queueUrl.split('/').at(-1) ?? queueUrl)?.messages;
      return [...(messages?.ready ?? []), ...(messages?.delayed ?? [])].map(({ body }) => body);
    },
    stop: () => server.stop(),
  };
}

function localStack(endpoint: string): QueueService {
  return {
    endpoint,
    async waiting(queueUrl) {
      // Receiving would hide a message from the next receiver; this is LocalStack's own way to look.
      const answer = await fetch(new URL('/_aws/sqs/messages?ShowDelayed=true', endpoint), {
        method: 'POST',
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
        body: JSON.stringify({ QueueUrl: queueUrl }),
      });
      if (!answer.ok) throw new Error(`LocalStack answered ${answer.status} for the messages of a queue`);
      const { Messages: messages = [] } = (await answer.json()) as { Messages?: { Body: string }[] };
      return messages.map(({ Body }) => Body);
    },
    stop: async () => undefined,
  };
}
