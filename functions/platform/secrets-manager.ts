import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

import { describeError, log } from './log.ts';

/** A secret could not be read, or has no text. */
export class SecretUnavailableError extends Error {
  override readonly name = 'SecretUnavailableError';
}

export type SecretsClient = Pick<SecretsManagerClient, 'send'>;

/** The webhook's sender waits for us; retries of the SDK are within this. */
const CALL_TIMEOUT_MS = 3_000;

/** An attempt that finds nobody leaves time for the SDK's next ones. */
const CONNECT_TIMEOUT_MS = 1_000;

/** Loaded when first needed: the SDK is most of a cold start. */
export async function newSecretsClient(): Promise<SecretsClient> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  return new SecretsManagerClient({ requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS } });
}

/** Milliseconds. */
export interface PreviousSecretRule {
  readonly now: number;
  /** How long after the current version was made its predecessor is still given. */
  readonly previousForMs: number;
}

/**
 * The current text of a secret, and for a while after a rotation the one before it, when they differ. Throws
 * `SecretUnavailableError` when the current one cannot be had or is blank.
 */
export async function fetchSecretTexts(
  client: SecretsClient,
  secretId: string,
  { now, previousForMs }: PreviousSecretRule,
): Promise<readonly string[]> {
  const reads = [fetchVersion(client, secretId, 'AWSCURRENT'), fetchVersion(client, secretId, 'AWSPREVIOUS')] as const;
  // A read left running would go on asking, beside those that the caller's bound allows.
  await Promise.allSettled(reads);
  const [current, previous] = await Promise.all(reads);
  if (current === null) throw noText(secretId);
  const isOld = now - current.createdAt > previousForMs;
  return previous === null || isOld || previous.text === current.text ? [current.text] : [current.text, previous.text];
}

/** The current text of a secret alone, read within `timeoutMs` milliseconds. Throws as `fetchSecretTexts` does. */
export async function fetchSecretText(client: SecretsClient, secretId: string, timeoutMs: number): Promise<string> {
  const current = await fetchVersion(client, secretId, 'AWSCURRENT', timeoutMs);
  if (current === null) throw noText(secretId);
  return current.text;
}

async function fetchVersion(
  client: SecretsClient,
  secretId: string,
  stage: 'AWSCURRENT' | 'AWSPREVIOUS',
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<{ text: string; createdAt: number } | null> {
  const { GetSecretValueCommand, ResourceNotFoundException } = await import('@aws-sdk/client-secrets-manager');
  try {
    const { SecretString: text, CreatedDate: created } = await client.send(
      new GetSecretValueCommand({ SecretId: secretId, VersionStage: stage }),
      { abortSignal: AbortSignal.timeout(timeoutMs) },
    );
    return text?.trim() ? { text, createdAt: created?.getTime() ?? 0 } : null;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    log.error('secret_unavailable', { secret: nameOf(secretId), stage, ...describeError(error) });
    throw new SecretUnavailableError(`secret ${nameOf(secretId)} could not be read`);
  }
}

function noText(secretId: string): SecretUnavailableError {
  return new SecretUnavailableError(`secret ${nameOf(secretId)} has no current text`);
}

/** An ARN carries the account's number. */
function nameOf(secretId: string): string {
  return secretId.split(':secret:').at(-1) ?? secretId;
}
