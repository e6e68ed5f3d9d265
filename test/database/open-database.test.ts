import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../functions/database/open-database.ts';
import { type RecordingServer, startRecordingServer } from '../platform/recording-server.ts';

const SECRET = JSON.stringify({ host: '127.0.0.1', port: 9, dbname: 'shop', username: 'merchant', password: 'secret' });

/** A secrets manager that has only the current version of one secret; its other answers are a failure of its own. */
let secrets: RecordingServer;
let asked: string[];
beforeEach(async () => {
  asked = [];
  secrets = await startRecordingServer((response, { body }) => {
    const { VersionStage } = JSON.parse(body) as { VersionStage: string };
    asked.push(VersionStage);
    const status = VersionStage === 'AWSCURRENT' ? 200 : 400;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(status === 200 ? { SecretString: SECRET } : { __type: 'InvalidRequestException' }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secrets.url);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('DATABASE_SECRET_ID', 'database');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await secrets.close();
});

it('a function starts by the current version of its secret alone, and waits for it nearly as long as it may start', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  await openDatabase();
  expect(asked).toEqual(['AWSCURRENT']);
  expect(limits.mock.calls).toEqual([[8_000]]);
});
