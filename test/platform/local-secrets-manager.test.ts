import {
  CreateSecretCommand,
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSecrets, type TestSecrets } from '../support/secrets.ts';

let secrets: TestSecrets;
let client: SecretsManagerClient;

beforeEach(async () => {
  secrets = await startSecrets();
  const { url: endpoint, credentials } = secrets;
  client = new SecretsManagerClient({ endpoint, region: 'us-east-1', credentials });
});

afterEach(async () => {
  client.destroy();
  await secrets.close();
});

const valueAt = async (VersionStage: string, SecretId = 'key') =>
  (await client.send(new GetSecretValueCommand({ SecretId, VersionStage }))).SecretString;

describe('the local secrets manager', () => {
  test('creates, rotates and reads by name and ARN', async () => {
    const { ARN } = await client.send(new CreateSecretCommand({ Name: 'key', SecretString: 'one' }));
    await client.send(new PutSecretValueCommand({ SecretId: 'key', SecretString: 'two' }));
    expect(await valueAt('AWSCURRENT')).toBe('two');
    expect(await valueAt('AWSPREVIOUS', ARN)).toBe('one');
  });

  test('a pending version becomes current when its label is moved', async () => {
    const { VersionId: first } = await client.send(new CreateSecretCommand({ Name: 'key', SecretString: 'one' }));
    const { VersionId: second } = await client.send(
      new PutSecretValueCommand({ SecretId: 'key', SecretString: 'two', VersionStages: ['AWSPENDING'] }),
    );
    expect(await valueAt('AWSCURRENT')).toBe('one');
    const move = { SecretId: 'key', VersionStage: 'AWSCURRENT', MoveToVersionId: second };
    await expect(client.send(new UpdateSecretVersionStageCommand(move))).rejects.toThrow(InvalidParameterException);
    await client.send(new UpdateSecretVersionStageCommand({ ...move, RemoveFromVersionId: first }));
    expect(await valueAt('AWSCURRENT')).toBe('two');
    expect(await valueAt('AWSPREVIOUS')).toBe('one');
  });

  test('a label can be taken away', async () => {
    await client.send(new CreateSecretCommand({ Name: 'key', SecretString: 'one' }));
    const { VersionId } = await client.send(new PutSecretValueCommand({ SecretId: 'key', SecretString: 'two' }));
    expect(VersionId).toBeDefined();
    const { VersionId: previous } = await client.send(
      new GetSecretValueCommand({ SecretId: 'key', VersionStage: 'AWSPREVIOUS' }),
    );
    await client.send(
      new UpdateSecretVersionStageCommand({
        SecretId: 'key',
        VersionStage: 'AWSPREVIOUS',
        RemoveFromVersionId: previous,
      }),
    );
    await expect(valueAt('AWSPREVIOUS')).rejects.toThrow(ResourceNotFoundException);
  });

  test('answers with the errors of the real one', async () => {
    await expect(valueAt('AWSCURRENT')).rejects.toThrow(ResourceNotFoundException);
    await client.send(new CreateSecretCommand({ Name: 'key', SecretString: 'one' }));
    await expect(client.send(new CreateSecretCommand({ Name: 'key', SecretString: 'two' }))).rejects.toThrow(
      ResourceExistsException,
    );
    await expect(valueAt('AWSPREVIOUS')).rejects.toThrow(ResourceNotFoundException);
  });
});
