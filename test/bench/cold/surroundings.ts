import { awsEnvironment, sqsClient } from '../../../bin/local/aws/clients.ts';
import { makeQueues } from '../../../bin/local/aws/queues.ts';
import { startSqs } from '../../../bin/local/aws/sqs.ts';
import { SECRET_IDS } from '../../../bin/local/aws/vault.ts';
import { startClinkDouble } from '../../../bin/local/clink-double/server.ts';
import { functionEnvironment } from '../../../bin/local/function-environment.ts';
import { startSecretsManager } from '../../../bin/local/secrets-manager.ts';
import type { BenchDatabase } from '../part.ts';

export const SIGNING_SECRET = 'whsec_cold_start';
const API_KEY = 'sk_cold_start';
const REGION = 'eu-central-1';

/** All that a function talks to, on this machine: the environment names it. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startSurroundings({ appUrl }: BenchDatabase): Promise<Surroundings> {
  const secrets = await startSecretsManager({ port: 0 });
  secrets.put(SECRET_IDS.clinkApiKey, API_KEY);
  secrets.put(SECRET_IDS.clinkWebhook, SIGNING_SECRET);
  const sqs = await startSqs({ port: 0, region: REGION });
  const aws = { sqsUrl: sqs.url, secretsManagerUrl: secrets.url, region: REGION };
  const client = sqsClient(aws);
  const queues = await makeQueues(client);
  client.destroy();
  const clink = await startClinkDouble({
    port: 0,
    databaseFile: ':memory:',
    // Its webhooks are not part of this.
    webhookUrl: () => 'http://127.0.0.1:9/',
    apiKeys: () => [API_KEY],
    signingSecret: () => SIGNING_SECRET,
  });
  return {
    environment: {
      ...awsEnvironment(aws),
      ...functionEnvironment({
        databaseUrl: appUrl,
        clinkApiUrl: `${clink.url}/api`,
        shopUrl: 'https://shop.example',
        queues,
      }),
      DATABASE_MAX_CONNECTIONS: '1',
    },
    async close() {
      await Promise.all([clink.close(), sqs.close(), secrets.close()]);
    },
  };
}
