import { setTimeout as wait } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { describeError, log } from '../../../functions/platform/log.ts';
import { failedIds, sqsEvent } from './batch.ts';

export interface Mapping {
  readonly queueUrl: string;
  /** Messages per invocation, at most 10. */
  readonly batchSize: number;
  /** Invocations at a time. */
  readonly concurrency: number;
  readonly invoke: (event: object) => Promise<unknown>;
}

export interface Poller {
  /** Takes no more messages and waits, for a while, for the invocations under way. */
  stop(): Promise<void>;
}

/** Short, because stopping waits for it: a call that is broken off may still take a message, and hold it for nobody. */
const WAIT_SECONDS = 2;
const PAUSE_AFTER_FAILURE_MS = 1_000;
const PATIENCE_MS = 10_000;

/**
 * An event source mapping: receives from a queue, invokes, and deletes what was dealt with. The rest comes back when its
 * visibility timeout ends.
 */
export function startPoller(sqs: SQSClient, mapping: Mapping): Poller {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (underWay.size >= mapping.concurrency) await Promise.race(underWay);
      else for (const batch of await receive(mapping.concurrency - underWay.size)) start(batch);
    }
  }

  /** Batches for as many invocations as there is room for; none when nothing came, or SQS could not be asked. */
  async function receive(room: number): Promise<Message[][]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: mapping.queueUrl,
      MaxNumberOfMessages: Math.min(10, room * mapping.batchSize),
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ['All'],
    });
    try {
      const { Messages = [] } = await sqs.send(command);
      return chunks(Messages, mapping.batchSize);
    } catch (error) {
      log.error('queue_not_received', { ...describeError(error) });
      await wait(PAUSE_AFTER_FAILURE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      return [];
    }
  }

  function start(batch: Message[]): void {
    const run = handle(sqs, mapping, batch).finally(() => underWay.delete(run));
    underWay.add(run);
  }

  const polling = poll();
  return {
    async stop() {
      stopping.abort();
      const drained = polling.then(() => Promise.all(underWay));
      await Promise.race([drained, wait(PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}

async function handle(sqs: SQSClient, { queueUrl, invoke }: Mapping, batch: Message[]): Promise<void> {
  try {
    const failed = failedIds(await invoke(sqsEvent(queueUrl, batch)), batch);
    const done = batch.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    if (done.length === 0) return;
    const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  } catch (error) {
    log.error('batch_failed', { queue: queueUrl.split('/').at(-1), ...describeError(error) });
  }
}

function chunks(messages: readonly Message[], size: number): Message[][] {
  const count = Math.ceil(messages.length / size);
  return Array.from({ length: count }, (_, index) => messages.slice(index * size, (index + 1) * size));
}
