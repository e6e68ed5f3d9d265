import { randomUUID } from 'node:crypto';
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Cloud } from './cloud.ts';

/** Secrets Manager, as a person uses it from the command line. */
export function openSecrets({ environment }: Cloud) {
  const client = new SecretsManagerClient({
    endpoint: environment.AWS_ENDPOINT_URL,
    region: environment.AWS_REGION,
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    },
  });
  return {
    /** Makes a secret of this name and some random letters, as an endpoint that is used again has the earlier ones. Returns its ARN. */
    async create(name: string, value: string): Promise<string> {
      const Name = `${name}-${randomUUID()}`;
      const { ARN = '' } = await client.send(new CreateSecretCommand({ Name, SecretString: value }));
      return ARN;
    },
    /** The value becomes the current one, and the one before it the previous. */
    async put(name: string, value: string): Promise<void> {
      await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
    },
    async exists(name: string): Promise<boolean> {
      const { DeletedDate } = await client.send(new DescribeSecretCommand({ SecretId: name }));
      return DeletedDate === undefined;
    },
    close: () => client.destroy(),
  };
}
