import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { sqsClient } from '../../bin/local/aws/clients.ts';
import { makeQueues } from '../../bin/local/aws/queues.ts';
import { startSqs } from '../../bin/local/aws/sqs.ts';
import { failedIds } from '../../bin/local/sources/batch.ts';
import { type Mapping, startPoller } from '../../bin/local/sources/poller.ts';
import { eventually } from './eventually.ts';

const REGION = 'eu-central-1';
let sqs: SQSClient;
let url: string;

beforeAll(async () => {
  const server = await startSqs({ port: 0, region: REGION });
  url = server.url;
  sqs = sqsClient({ sqsUrl: url, secretsManagerUrl: url, region: REGION });
  return async () => {
    sqs.destroy();
    await server.close();
  };
});

let queueCount = 0;

/** Messages that fail come back at once. */
async function newQueue(...bodies: string[]): Promise<string> {
  queueCount += 1;
  const command = new CreateQueueCommand({ QueueName: `q-${queueCount}`, Attributes: { VisibilityTimeout: '1' } });
  const { QueueUrl = '' } = await sqs.send(command);
  for (const body of bodies) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
  return QueueUrl;
}

async function isEmpty(QueueUrl: string): Promise<boolean> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return Attributes?.ApproximateNumberOfMessages === '0' && Attributes.ApproximateNumberOfMessagesNotVisible === '0';
}

function poll(queueUrl: string, invoke: (event: SQSEvent) => Promise<unknown>, mapping: Partial<Mapping> = {}) {
  const handler: Mapping['invoke'] = (event) => invoke(event as SQSEvent);
  const poller = startPoller(sqs, { queueUrl, batchSize: 1, concurrency: 10, invoke: handler, ...mapping });
  onTestFinished(() => poller.stop());
  return poller;
}

test('what a function deals with is deleted', async () => {
  const queueUrl = await newQueue('one', 'two');
  const bodies: string[] = [];
  poll(queueUrl, async ({ Records }) => void bodies.push(...Records.map(({ body }) => body)));
  await eventually('an empty queue', () => isEmpty(queueUrl));
  expect(bodies.sort()).toEqual(['one', 'two']);
});

test('what comes later starts the function, as a record that AWS would send', async () => {
  const queueUrl = await newQueue();
  const arrived = Promise.withResolvers<SQSEvent>();
  poll(queueUrl, async (event) => arrived.resolve(event));
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'later' }));
  const { Records } = await arrived.promise;
  expect(Records).toHaveLength(1);
  expect(Records[0]).toMatchObject({
    body: 'later',
    eventSource: 'aws:sqs',
    messageId: expect.stringMatching(/.+/),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d+$/) },
  });
});

test('what makes a function throw comes back', async () => {
  const queueUrl = await newQueue('again');
  const counts: string[] = [];
  poll(queueUrl, async ({ Records }) => {
    counts.push(Records[0]?.attributes.ApproximateReceiveCount ?? '');
    if (counts.length < 2) throw new Error('not yet');
  });
  await eventually('an empty queue', () => isEmpty(queueUrl));
  expect(counts).toEqual(['1', '2']);
});

test('of a batch only the failures come back', async () => {
  const queueUrl = await newQueue('good', 'bad', 'fine');
  const batches: string[][] = [];
  const invoke = async ({ Records }: SQSEvent): Promise<unknown> => {
    batches.push(Records.map(({ body }) => body));
    const bad = batches.length === 1 ? Records.filter(({ body }) => body === 'bad') : [];
    return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
  poll(queueUrl, invoke, { batchSize: 10 });
  await eventually('an empty queue', () => isEmpty(queueUrl));
  expect(batches).toEqual([['good', 'bad', 'fine'], ['bad']]);
});

test('an answer about a message that nobody sent fails the whole batch', () => {
  const batch = [{ MessageId: 'a' }, { MessageId: 'b' }];
  expect(failedIds({ batchItemFailures: [{ itemIdentifier: 'c' }] }, batch)).toEqual(new Set(['a', 'b']));
  expect(failedIds({ batchItemFailures: [{}] }, batch)).toEqual(new Set(['a', 'b']));
  expect(failedIds({ batchItemFailures: [] }, batch)).toEqual(new Set());
  expect(failedIds(undefined, batch)).toEqual(new Set());
});

test('no more functions run at a time than there may', async () => {
  const queueUrl = await newQueue('1', '2', '3', '4', '5');
  let running = 0;
  let most = 0;
  const both = Promise.withResolvers<void>();
  const invoke = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    if (running === 2) both.resolve();
    // The first two meet; after that nobody waits.
    await both.promise;
    running -= 1;
  };
  poll(queueUrl, invoke, { concurrency: 2 });
  await eventually('an empty queue', () => isEmpty(queueUrl));
  expect(most).toBe(2);
});

test('stopping waits for what is under way and takes nothing more', async () => {
  const queueUrl = await newQueue('first');
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  let invocations = 0;
  const invoke = async (): Promise<void> => {
    invocations += 1;
    started.resolve();
    await finish.promise;
  };
  const poller = poll(queueUrl, invoke, { concurrency: 1 });
  await started.promise;
  const stopped = poller.stop();
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'second' }));
  finish.resolve();
  await stopped;
  expect(invocations).toBe(1);
  expect(await isEmpty(queueUrl)).toBe(false);
});

test('every queue has a resolvable address and a dead-letter queue, and is found again', async () => {
  const queues = await makeQueues(sqs);
  expect(await makeQueues(sqs)).toEqual(queues);
  expect(queues.tasks.size).toBe(8);
  for (const queueUrl of [queues.wakeUp, ...queues.tasks.values()]) {
    expect(new URL(queueUrl).origin).toBe(url);
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['RedrivePolicy'] }),
    );
    expect(Attributes?.RedrivePolicy).toContain('-dead');
  }
});
