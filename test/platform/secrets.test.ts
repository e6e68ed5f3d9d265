import { setImmediate } from 'node:timers/promises';

import type { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { secretReader } from '../../functions/platform/secrets.ts';
import type { SecretsClient } from '../../functions/platform/secrets-manager.ts';
import { startSecrets, type TestSecrets } from '../support/secrets.ts';
import { type RecordingServer, startRecordingServer } from './recording-server.ts';

let secrets: TestSecrets;
/** Stands between the SDK and the secrets manager: counts calls, and drops them during an outage. */
let line: RecordingServer;
let outage: boolean;
let onAnswer: () => Promise<void>;
let time: number;
const now = () => time;
const DAY_MS = 86_400_000;

beforeEach(async () => {
  time = 1_786_000_000_000;
  outage = false;
  onAnswer = async () => undefined;
  secrets = await startSecrets();
  line = await startRecordingServer(async (response, { headers, body }) => {
    if (outage) return void response.destroy();
    const forwarded = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': String(headers['x-amz-target']),
      authorization: String(headers.authorization),
    };
    const answer = await fetch(secrets.url, { method: 'POST', headers: forwarded, body }).catch(() => null);
    // A read that a test did not wait for may come after its secrets manager has closed.
    if (answer === null) return void response.destroy();
    const words = await answer.text();
    await onAnswer();
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' }).end(words);
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', line.url);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', secrets.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secrets.credentials.secretAccessKey);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await line.close();
  await secrets.close();
});

/** From now on an answer of the secrets manager stays on its way; `bothHeld` when the two of one fetch do. */
function holdAnswers() {
  let count = 0;
  const both = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  onAnswer = () => {
    count += 1;
    if (count === 2) both.resolve();
    return open.promise;
  };
  return { bothHeld: both.promise, letGo: open.resolve };
}

/** One read asks for both stages. */
const fetches = () => line.requests.length / 2;

describe('secretReader', () => {
  test('reads the only value of a secret, and keeps it for its time to live', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, ttlMs: 1_000, previousForMs: DAY_MS });
    expect(await reader.read('clink/webhook')).toEqual(['whsec_1']);
    time += 999;
    expect(await reader.read('clink/webhook')).toEqual(['whsec_1']);
    expect(fetches()).toBe(1);
    time += 1;
    await reader.read('clink/webhook');
    expect(fetches()).toBe(2);
  });

  test('gives the current value, then the previous one, after a rotation', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    await secrets.put('clink/webhook', 'whsec_2');
    await secrets.put('clink/webhook', 'whsec_3');
    expect(await secretReader({ now, previousForMs: DAY_MS }).read('clink/webhook')).toEqual(['whsec_3', 'whsec_2']);
  });

  test('gives the previous value for a bounded time only', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    await secrets.put('clink/webhook', 'whsec_2');
    time = Date.now();
    const reader = secretReader({ now, ttlMs: 1, previousForMs: 60_000 });
    expect(await reader.read('clink/webhook')).toEqual(['whsec_2', 'whsec_1']);
    time += 120_000;
    expect(await reader.read('clink/webhook')).toEqual(['whsec_2']);
  });

  test('gives one value when both versions are the same', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    await secrets.put('clink/webhook', 'whsec_1');
    expect(await secretReader({ now, previousForMs: DAY_MS }).read('clink/webhook')).toEqual(['whsec_1']);
  });

  test('reads at the same time share one fetch', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, previousForMs: DAY_MS });
    const all = await Promise.all(Array.from({ length: 20 }, () => reader.read('clink/webhook')));
    expect(all).toEqual(Array.from({ length: 20 }, () => ['whsec_1']));
    expect(fetches()).toBe(1);
  });

  test('a missing secret is not remembered as missing', async () => {
    const reader = secretReader({ now, previousForMs: DAY_MS });
    await expect(reader.read('clink/webhook')).rejects.toMatchObject({ name: 'SecretUnavailableError' });
    await secrets.put('clink/webhook', 'whsec_1');
    expect(await reader.read('clink/webhook')).toEqual(['whsec_1']);
  });

  test('an outage fails each read, and is over when it is over', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, ttlMs: 1_000, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    outage = true;
    time += 1_000;
    await expect(reader.read('clink/webhook')).rejects.toThrow('secret clink/webhook could not be read');
    outage = false;
    expect(await reader.read('clink/webhook')).toEqual(['whsec_1']);
  });

  test('blank text is no secret', async () => {
    await secrets.put('clink/webhook', ' \n');
    await expect(secretReader({ now, previousForMs: DAY_MS }).read('clink/webhook')).rejects.toThrow(
      'has no current text',
    );
  });

  test('an error names the secret without the account of its ARN', async () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:clink/webhook-AbCdEf';
    await expect(secretReader({ now, previousForMs: DAY_MS }).read(arn)).rejects.toThrow(
      'secret clink/webhook-AbCdEf has no current text',
    );
  });

  test('refresh sees a new value at once, at most three times in thirty seconds', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    for (const next of [2, 3, 4]) {
      await secrets.put('clink/webhook', `whsec_${next}`);
      expect(await reader.refresh('clink/webhook')).toEqual([`whsec_${next}`, `whsec_${next - 1}`]);
    }
    expect(await reader.read('clink/webhook')).toEqual(['whsec_4', 'whsec_3']);
    await secrets.put('clink/webhook', 'whsec_5');
    time += 29_999;
    expect(await reader.refresh('clink/webhook')).toEqual(['whsec_4', 'whsec_3']);
    expect(fetches()).toBe(4);
    time += 1;
    expect(await reader.refresh('clink/webhook')).toEqual(['whsec_5', 'whsec_4']);
  });

  test('a refresh during a fetch that began before the rotation fetches again', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    const { bothHeld, letGo } = holdAnswers();
    const forged = reader.refresh('clink/webhook');
    await bothHeld;
    await secrets.put('clink/webhook', 'whsec_2');
    const genuine = reader.refresh('clink/webhook');
    letGo();
    expect(await forged).toEqual(['whsec_1']);
    expect(await genuine).toEqual(['whsec_2', 'whsec_1']);
  });

  test('refreshes at the same time share the fetch that found the new value', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    await secrets.put('clink/webhook', 'whsec_2');
    const all = await Promise.all(Array.from({ length: 20 }, () => reader.refresh('clink/webhook')));
    expect(all).toEqual(Array.from({ length: 20 }, () => ['whsec_2', 'whsec_1']));
    expect(fetches()).toBe(2);
  });

  test('the refresh after one that failed finds the new value at once', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    outage = true;
    await expect(reader.refresh('clink/webhook')).rejects.toMatchObject({ name: 'SecretUnavailableError' });
    outage = false;
    await secrets.put('clink/webhook', 'whsec_2');
    expect(await reader.refresh('clink/webhook')).toEqual(['whsec_2', 'whsec_1']);
  });

  test('a fetch that failed is over when both of its reads are', async () => {
    const held = Promise.withResolvers<never>();
    const refused = Promise.withResolvers<void>();
    const send = (command: GetSecretValueCommand) => {
      if (command.input.VersionStage === 'AWSPREVIOUS') return held.promise;
      refused.resolve();
      return Promise.reject(new Error('no connection'));
    };
    const ended: string[] = [];
    const read = secretReader({ client: { send } as unknown as SecretsClient, now, previousForMs: DAY_MS })
      .read('clink/webhook')
      .catch(() => ended.push('fetch'));
    await refused.promise;
    await setImmediate();
    ended.push('second read');
    held.reject(new Error('no connection'));
    await read;
    expect(ended).toEqual(['second read', 'fetch']);
  });

  test('refreshes that failed count: the fourth fails as they did, and asks nobody', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    outage = true;
    for (const _ of [1, 2, 3])
      await expect(reader.refresh('clink/webhook')).rejects.toMatchObject({ name: 'SecretUnavailableError' });
    const asked = line.requests.length;
    await secrets.put('clink/webhook', 'whsec_2');
    outage = false;
    time += 29_999;
    await expect(reader.refresh('clink/webhook')).rejects.toMatchObject({ name: 'SecretUnavailableError' });
    expect(await reader.read('clink/webhook')).toEqual(['whsec_1']);
    expect(line.requests).toHaveLength(asked);
    time += 1;
    expect(await reader.refresh('clink/webhook')).toEqual(['whsec_2', 'whsec_1']);
  });

  test('once a read has succeeded after refreshes that failed, a further refresh gives what it read', async () => {
    await secrets.put('clink/webhook', 'whsec_1');
    const reader = secretReader({ now, ttlMs: 1_000, previousForMs: DAY_MS });
    await reader.read('clink/webhook');
    outage = true;
    for (const _ of [1, 2, 3]) await expect(reader.refresh('clink/webhook')).rejects.toThrow('could not be read');
    await secrets.put('clink/webhook', 'whsec_2');
    outage = false;
    time += 1_000;
    expect(await reader.read('clink/webhook')).toEqual(['whsec_2', 'whsec_1']);
    const asked = line.requests.length;
    expect(await reader.refresh('clink/webhook')).toEqual(['whsec_2', 'whsec_1']);
    expect(line.requests).toHaveLength(asked);
  });

  test('keeps a bounded number of secrets', async () => {
    const reader = secretReader({ now, previousForMs: DAY_MS });
    const names = Array.from({ length: 17 }, (_, i) => `secret-${i}`);
    for (const name of names) {
      await secrets.put(name, name);
      await reader.read(name);
    }
    await reader.read('secret-16');
    expect(fetches()).toBe(17);
    await reader.read('secret-0');
    expect(fetches()).toBe(18);
  });
});
