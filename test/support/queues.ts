import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { startFauxqs } from 'fauxqs';
import type { TaskName } from '../../functions/decisions/decision.ts';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { type QueueSender, queueSender } from '../../functions/platform/queues.ts';

export interface TestQueues {
  /** What `AWS_ENDPOINT_URL` would be. */
  readonly endpoint: string;
  readonly sender: QueueSender;
  readonly wakeUpUrl: string;
  urlOf(task: TaskName): string;
  /** Bodies of the messages that wait in a queue, delayed ones included. */
  waiting(queueUrl: string): string[];
  /** Receives one message and hands it over as Lambda would; it stays in the queue when the handler reports it back. */
  deliverOne(queueUrl: string, handler: (event: SQSEvent) => Promise<SQSBatchResponse>): Promise<SQSBatchResponse>;
  /** Forgets all messages. */
  clear(): void;
  stop(): Promise<void>;
}

/** The SQS protocol in this process, on a port of its own, with the wake-up queue and one queue for each task. */
export async function startQueues(): Promise<TestQueues> {
  const server = await startFauxqs({ port: 0, logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const create = (name: string): string => server.createQueue(name).queueUrl;
  const wakeUpUrl = create('wake-up');
  const urls = new Map(TASK_NAMES.map((task) => [task, create(task)]));
  const client = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

  async function receiveOne(queueUrl: string) {
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 5 }));
    const message = Messages?.[0];
    if (!message) throw new Error(`nothing was sent to ${nameOf(queueUrl)}`);
    return { body: message.Body ?? '', messageId: message.MessageId ?? '', receiptHandle: message.ReceiptHandle ?? '' };
  }

  return {
    endpoint,
    sender: queueSender(client),
    wakeUpUrl,
    urlOf(task) {
      const url = urls.get(task);
      if (url === undefined) throw new Error(`no queue for ${task}`);
      return url;
    },
    waiting(queueUrl) {
      const messages = server.inspectQueue(nameOf(queueUrl))?.messages;
      return [...(messages?.ready ?? []), ...(messages?.delayed ?? [])].map(({ body }) => body);
    },
    async deliverOne(queueUrl, handler) {
      const { receiptHandle, ...message } = await receiveOne(queueUrl);
      const response = await handler(eventOf({ ...message, receiptHandle, eventSourceARN: queueUrl }));
      if (response.batchItemFailures.length === 0) {
        await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle }));
      }
      return response;
    },
    clear: () => server.reset(),
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}

/** A batch of one, as an event source mapping hands it to a function. */
export function eventOf(message: {
  body: string;
  messageId?: string;
  receiptHandle?: string;
  eventSourceARN?: string;
}): SQSEvent {
  const attributes = {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'test',
    ApproximateFirstReceiveTimestamp: '0',
  };
  const defaults = { messageId: 'message-1', receiptHandle: 'receipt-1', eventSourceARN: 'arn' };
  const fixed = { attributes, messageAttributes: {}, md5OfBody: '', eventSource: 'aws:sqs', awsRegion: 'us-east-1' };
  return { Records: [{ ...defaults, ...fixed, ...message }] };
}

function nameOf(queueUrl: string): string {
  return queueUrl.split('/').at(-1) ?? queueUrl;
}
