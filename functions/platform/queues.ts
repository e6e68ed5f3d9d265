import type { SQSClient } from '@aws-sdk/client-sqs';

import { describeError, log } from './log.ts';

export type QueueClient = Pick<SQSClient, 'send'>;

export interface SendOptions {
  /** Whole seconds, at most 900. */
  readonly delaySeconds?: number;
  readonly signal?: AbortSignal;
}

export interface QueueSender {
  /** Resolves once SQS has the message. */
  send(queueUrl: string, body: string, options?: SendOptions): Promise<void>;
}

/** Starts the claimer, after `delayMs` milliseconds when given. Never throws. */
export type WakeUp = (delayMs?: number) => Promise<void>;

const LONGEST_DELAY_SECONDS = 900;
/** A caller has committed already and only waits to be polite to whoever comes next. */
const WAKE_UP_TIMEOUT_MS = 2_000;

/** Sends to SQS. Region, credentials and endpoint are those of the SDK's environment variables. */
export function queueSender(client?: QueueClient): QueueSender {
  let theClient = client;
  return {
    async send(queueUrl, body, { delaySeconds = 0, signal } = {}) {
      // Loaded when first needed: the SDK is most of a cold start.
      const { SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
      // A queue's URL names the queue; where SQS is, the environment says, on one machine as on AWS.
      theClient ??= new SQSClient({ useQueueUrlAsEndpoint: false });
      const message = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, DelaySeconds: delaySeconds });
      await theClient.send(message, signal ? { abortSignal: signal } : {});
    },
  };
}

/** A wake-up is a hint: losing one costs at most a tick of the schedule, so a failure is logged and no more. */
export function wakeUpSender(queueUrl: string, sender: QueueSender = queueSender()): WakeUp {
  return async (delayMs = 0) => {
    // Rounded up, because a claimer that comes early finds nothing due.
    const delaySeconds = Math.min(LONGEST_DELAY_SECONDS, Math.ceil(Math.max(0, delayMs) / 1000));
    try {
      await sender.send(queueUrl, '{}', { delaySeconds, signal: AbortSignal.timeout(WAKE_UP_TIMEOUT_MS) });
    } catch (error) {
      log.warn('wake_up_lost', { ...describeError(error) });
    }
  };
}
