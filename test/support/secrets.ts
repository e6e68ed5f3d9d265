import { randomInt } from 'node:crypto';
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { startSecretsManager } from '../../bin/local/secrets-manager.ts';
import { localStackUrl } from './localstack.ts';

/** A Secrets Manager in which nothing is yet. */
export interface TestSecrets {
  readonly url: string;
  /** Ready to go into the environment, or to make a client of. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Makes the secret, or rotates it: what was current becomes the previous value. */
  put(name: string, value: string): Promise<void>;
  close(): Promise<void>;
}

/** On the LocalStack that this run is against an account of its own, else the one of `npm start` on a port of its own. */
export async function startSecrets(): Promise<TestSecrets> {
  const url = localStackUrl();
  const { url: ownUrl, close } = url === null ? await startSecretsManager({ port: 0 }) : { url, close: leaveAlone };
  // LocalStack takes twelve digits for the number of an account.
  const credentials = { accessKeyId: String(randomInt(1e11, 1e12 - 1)), secretAccessKey: 'test' };
  const client = new SecretsManagerClient({ endpoint: ownUrl, region: 'us-east-1', credentials });
  return {
    url: ownUrl,
    credentials,
    async put(name, value) {
      const create = new CreateSecretCommand({ Name: name, SecretString: value });
      await client.send(create).catch((error: unknown) => {
        if (!(error instanceof ResourceExistsException)) throw error;
        return client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
      });
    },
    async close() {
      client.destroy();
      await close();
    },
  };
}

const leaveAlone = async (): Promise<void> => undefined;
