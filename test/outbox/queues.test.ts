import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type QueueSender, queueSender, type SendOptions, wakeUpSender } from '../../functions/platform/queues.ts';
import { startQueues, type TestQueues } from '../support/queues.ts';

let queues: TestQueues;
beforeAll(async () => {
  queues = await startQueues();
});
beforeEach(() => queues.clear());
afterAll(() => queues.stop());

function recordingSender(send: () => Promise<void> = async () => undefined) {
  const sent: SendOptions[] = [];
  const sender: QueueSender = {
    send(_url, _body, options = {}) {
      sent.push(options);
      return send();
    },
  };
  return { sender, sent };
}

describe('the sender', () => {
  it('finds SQS by the environment alone', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', queues.endpoint);
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    await queueSender().send(queues.urlOf('fulfill'), 'body');
    vi.unstubAllEnvs();
    expect(await queues.waiting(queues.urlOf('fulfill'))).toEqual(['body']);
  });

  it('says so when the queue does not take the message', async () => {
    await expect(queues.sender.send(`${queues.wakeUpUrl}-unknown`, 'body')).rejects.toThrow();
  });

  it('stops when its caller does', async () => {
    const signal = AbortSignal.abort();
    await expect(queues.sender.send(queues.wakeUpUrl, 'body', { signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await queues.waiting(queues.wakeUpUrl)).toEqual([]);
  });
});

describe('a wake-up', () => {
  it('reaches its queue', async () => {
    await wakeUpSender(queues.wakeUpUrl, queues.sender)();
    expect(await queues.waiting(queues.wakeUpUrl)).toHaveLength(1);
  });

  it.each([
    [undefined, 0],
    [0, 0],
    [-5, 0],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [900_000, 900],
    [3_600_000, 900],
  ])('after %s ms is asked for with a delay of %i s', async (delayMs, delaySeconds) => {
    const { sender, sent } = recordingSender();
    await wakeUpSender('url', sender)(delayMs);
    expect(sent).toEqual([{ delaySeconds, signal: expect.any(AbortSignal) }]);
  });

  it('that fails is only lost', async () => {
    const { sender } = recordingSender(() => Promise.reject(new Error('SQS is away')));
    await expect(wakeUpSender('url', sender)()).resolves.toBeUndefined();
  });
});
