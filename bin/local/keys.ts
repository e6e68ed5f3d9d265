import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** Secrets of this machine's stack, made at its first start. */
export interface Keys {
  /** Of the Clink double's API. */
  readonly clinkSecretKey: string;
  /** Of the Clink double's webhooks. */
  readonly webhookSigningKey: string;
  /** Of the calls to the demo merchant. */
  readonly merchantSigningSecret: string;
  /** Of the role that the functions connect as. */
  readonly databasePassword: string;
  /** The private key of the demo shop's sign-in. */
  readonly identityKey: JWK;
}

export async function openKeys(folder: string): Promise<Keys> {
  const existing = await readFile(fileIn(folder), 'utf8').catch(() => null);
  if (existing !== null) return JSON.parse(existing) as Keys;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys: Keys = {
    clinkSecretKey: newApiKey(),
    webhookSigningKey: newSigningKey(),
    merchantSigningSecret: newSigningKey(),
    databasePassword: randomBytes(18).toString('base64url'),
    identityKey: await exportJWK(privateKey),
  };
  await saveKeys(folder, keys);
  return keys;
}

export async function saveKeys(folder: string, keys: Keys): Promise<void> {
  const file = fileIn(folder);
  await writeFile(`${file}.new`, JSON.stringify(keys), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export function newApiKey(): string {
  return `sk_local_${randomBytes(24).toString('base64url')}`;
}

/** In the form that both Clink and Standard Webhooks use. */
export function newSigningKey(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

function fileIn(folder: string): string {
  return join(folder, 'keys.json');
}
