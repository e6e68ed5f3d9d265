import { join } from 'node:path';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { putSecret, SECRET_IDS } from './aws/vault.ts';
import { startClinkDouble } from './clink-double/server.ts';
import { type Keys, newApiKey, newSigningKey, saveKeys } from './keys.ts';
import type { ClinkAccount } from './local-settings.ts';

/** Clink as this run sees it: the double, or the merchant's own account. */
export interface Clink {
  readonly url: string;
  readonly apiUrl: string;
  /** The double's pages; null when Clink is the real one. */
  readonly dashboardUrl: string | null;
  readonly keys: () => { readonly clinkSecretKey: string; readonly webhookSigningKey: string };
  close(): Promise<void>;
}

export function realClink({ apiUrl, secretKey, webhookSigningKey }: ClinkAccount): Clink {
  const keys = { clinkSecretKey: secretKey, webhookSigningKey };
  return { url: apiUrl, apiUrl, dashboardUrl: null, keys: () => keys, close: async () => undefined };
}

export interface DoubleOptions {
  readonly port: number;
  readonly folder: string;
  readonly keys: Keys;
  readonly webhookUrl: string;
  readonly secrets: SecretsManagerClient;
  /** After a key was replaced. */
  readonly onRotation: () => Promise<void>;
}

/** The double, whose dashboard rotates the keys as Clink would, and as the merchant's operator then does in the vault. */
export async function startDouble({ port, folder, webhookUrl, secrets, ...options }: DoubleOptions): Promise<Clink> {
  let { keys } = options;
  // A merchant's function may still hold the key that it read a while ago.
  let previousApiKey = keys.clinkSecretKey;

  async function replace(change: Partial<Keys>, secretId: string, value: string): Promise<void> {
    await putSecret(secrets, secretId, value);
    keys = { ...keys, ...change };
    await saveKeys(folder, keys);
    await options.onRotation();
  }
  function rotateApiKey(): Promise<void> {
    const clinkSecretKey = newApiKey();
    previousApiKey = keys.clinkSecretKey;
    return replace({ clinkSecretKey }, SECRET_IDS.clinkApiKey, clinkSecretKey);
  }
  function rotateSigningSecret(): Promise<void> {
    const webhookSigningKey = newSigningKey();
    return replace({ webhookSigningKey }, SECRET_IDS.clinkWebhook, webhookSigningKey);
  }

  const double = await startClinkDouble({
    port,
    databaseFile: join(folder, 'clink.sqlite'),
    webhookUrl: () => webhookUrl,
    apiKeys: () => [keys.clinkSecretKey, previousApiKey],
    signingSecret: () => keys.webhookSigningKey,
    rotate: { apiKey: rotateApiKey, signingSecret: rotateSigningSecret },
  });
  const dashboardUrl = `${double.url}/dashboard`;
  return {
    ...double,
    apiUrl: `${double.url}/api`,
    dashboardUrl,
    keys: () => ({ clinkSecretKey: keys.clinkSecretKey, webhookSigningKey: keys.webhookSigningKey }),
  };
}
