import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { LocalSettings } from '../local-settings.ts';
import type { Ports } from '../ports.ts';
import { orProblem } from '../problem.ts';
import { startSecretsManager } from '../secrets-manager.ts';
import { type Aws, secretsClient, sqsClient } from './clients.ts';
import { makeQueues, type Queues } from './queues.ts';
import { startSqs } from './sqs.ts';
import { putSecret, SECRET_IDS } from './vault.ts';

export interface LocalAws extends Aws {
  readonly sqs: SQSClient;
  readonly secrets: SecretsManagerClient;
  readonly queues: Queues;
}

export interface SecretValues {
  readonly clinkSecretKey: string;
  readonly webhookSigningKey: string;
  readonly merchantSigningSecret: string;
}

/** SQS and Secrets Manager with our queues and secrets in them. */
export async function startAws(
  settings: LocalSettings,
  ports: Ports,
  teardown: AsyncDisposableStack,
  values: SecretValues,
): Promise<LocalAws> {
  const aws = await openEndpoints(settings, ports, teardown);
  const sqs = sqsClient(aws);
  const secrets = secretsClient(aws);
  teardown.defer(() => sqs.destroy());
  teardown.defer(() => secrets.destroy());
  const sentence = `AWS_ENDPOINT_URL cannot be used: start that endpoint with SQS and Secrets Manager, or unset it`;
  const filled = Promise.all([makeQueues(sqs), putSecrets(secrets, values)]);
  const [queues] = await (settings.awsEndpointUrl === null ? filled : orProblem(filled, sentence));
  return { ...aws, sqs, secrets, queues };
}

async function openEndpoints(
  { awsEndpointUrl, region }: LocalSettings,
  ports: Ports,
  teardown: AsyncDisposableStack,
): Promise<Aws> {
  if (awsEndpointUrl !== null) return { sqsUrl: awsEndpointUrl, secretsManagerUrl: awsEndpointUrl, region };
  const sqs = await ports.start('queues', (port) => startSqs({ port, region }));
  teardown.defer(() => sqs.close());
  const secrets = await ports.start('secrets', (port) => startSecretsManager({ port }));
  teardown.defer(() => secrets.close());
  return { sqsUrl: sqs.url, secretsManagerUrl: secrets.url, region };
}

async function putSecrets(secrets: SecretsManagerClient, values: SecretValues): Promise<void> {
  await putSecret(secrets, SECRET_IDS.clinkApiKey, values.clinkSecretKey);
  await putSecret(secrets, SECRET_IDS.clinkWebhook, values.webhookSigningKey);
  await putSecret(secrets, SECRET_IDS.merchantSigning, values.merchantSigningSecret);
}
