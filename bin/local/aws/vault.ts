import {
  CreateSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

export const SECRET_IDS = {
  clinkApiKey: 'clink-merchant/clink-api-key',
  clinkWebhook: 'clink-merchant/clink-webhook',
  merchantSigning: 'clink-merchant/merchant-signing',
} as const;

/** Makes the secret, or gives it a new current value; the one before stays readable as the previous. */
export async function putSecret(client: SecretsManagerClient, name: string, value: string): Promise<void> {
  try {
    await client.send(new CreateSecretCommand({ Name: name, SecretString: value }));
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
    await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
  }
}
