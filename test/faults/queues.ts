import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  CreateQueueCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { sqsClient } from '../../bin/local/aws/clients.ts';
import { startSqs } from '../../bin/local/aws/sqs.ts';
import { startSecretsManager } from '../../bin/local/secrets-manager.ts';

/** What becomes of one message on its way into a queue. */
export type MessageTrouble = 'lost' | 'doubled' | 'held back' | 'refused';

/** SQS and Secrets Manager behind one address. They outlive the stack, and lose, double, hold back or refuse messages. */
export interface Queues {
  readonly url: string;
  /** The next so many messages meet this. */
  troubleNext(kind: MessageTrouble, times: number, delaySeconds: () => number): void;
  /** Forgets what no message has met yet. */
  calm(): void;
  /** Empties every queue. Returns how many those are. */
  purge(): Promise<number>;
  close(): Promise<void>;
}

const REGION = 'us-east-1';

export async function startQueues(): Promise<Queues> {
  const sqs = await startSqs({ port: 0, region: REGION });
  const secrets = await startSecretsManager({ port: 0 });
  const client = sqsClient({ sqsUrl: sqs.url, secretsManagerUrl: secrets.url, region: REGION });
  const { QueueUrl: lostUrl } = await client.send(new CreateQueueCommand({ QueueName: 'lost-messages' }));
  let coming: { kind: MessageTrouble; delaySeconds: () => number }[] = [];

  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = String(request.headers['x-amz-target']);
    const body = await text(request);
    const trouble = target === 'AmazonSQS.SendMessage' ? coming.shift() : undefined;
    if (trouble?.kind === 'refused') return void response.writeHead(503).end();
    const url = target.startsWith('secretsmanager.') ? secrets.url : sqs.url;
    const forward = (content: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': target,
          authorization: signature(request),
        },
        body: content,
      });
    try {
      if (trouble?.kind === 'doubled') await forward(delayed(body, trouble.delaySeconds()));
      const answer = await forward(
        trouble?.kind === 'lost'
          ? changed(body, { QueueUrl: lostUrl })
          : trouble?.kind === 'held back'
            ? delayed(body, trouble.delaySeconds())
            : body,
      );
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(await answer.text());
    } catch {
      response.destroy();
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    troubleNext(kind, times, delaySeconds) {
      coming.push(...Array.from({ length: times }, () => ({ kind, delaySeconds })));
    },
    calm() {
      coming = [];
    },
    async purge() {
      const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
      for (const QueueUrl of QueueUrls) await client.send(new PurgeQueueCommand({ QueueUrl }));
      return QueueUrls.length;
    },
    async close() {
      client.destroy();
      server.close();
      server.closeAllConnections();
      await secrets.close();
      await sqs.close();
    },
  };
}

function delayed(body: string, DelaySeconds: number): string {
  return changed(body, { DelaySeconds });
}

function changed(body: string, fields: Partial<SendMessageCommandInput>): string {
  return JSON.stringify({ ...(JSON.parse(body) as object), ...fields });
}

/** It names the region, which is part of a queue's address. */
function signature({ headers }: IncomingMessage): string {
  return headers.authorization ?? '';
}
