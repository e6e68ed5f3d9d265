import { resolve } from 'node:path';
import { milliseconds } from '../../functions/platform/settings.ts';
import { Problem } from './problem.ts';

/** The real Clink in place of the double. */
export interface ClinkAccount {
  readonly apiUrl: string;
  readonly secretKey: string;
  readonly webhookSigningKey: string;
  /** Where Clink reaches this machine's API. */
  readonly publicUrl: string;
}

export interface LocalSettings {
  /** Holds all data between runs. */
  readonly folder: string;
  /** A PostgreSQL to use instead of one of our own. */
  readonly databaseUrl: string | null;
  /** An AWS endpoint such as LocalStack to use instead of SQS and Secrets Manager of our own. */
  readonly awsEndpointUrl: string | null;
  readonly region: string;
  readonly clinkAccount: ClinkAccount | null;
  readonly claimEveryMs: number;
}

const SANDBOX = 'https://uat-api.clinkbill.com/api';

/** Reads the environment. Throws `Problem` or `SettingError`, whose messages never show a value. */
export function localSettings(env: NodeJS.ProcessEnv): LocalSettings {
  return {
    folder: localFolder(env),
    databaseUrl: url(env, 'DATABASE_URL'),
    awsEndpointUrl: url(env, 'AWS_ENDPOINT_URL'),
    region: env.AWS_REGION || 'us-east-1',
    clinkAccount: clinkAccount(env),
    claimEveryMs: milliseconds('CLAIM_EVERY_MS', 5_000),
  };
}

export function localFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.LOCAL_FOLDER || '.local');
}

function clinkAccount(env: NodeJS.ProcessEnv): ClinkAccount | null {
  const { CLINK_SECRET_KEY: secretKey, CLINK_WEBHOOK_SIGNING_KEY: webhookSigningKey } = env;
  if (!secretKey) return null;
  const publicUrl = url(env, 'PUBLIC_URL');
  if (!webhookSigningKey || publicUrl === null) {
    throw new Problem(
      'CLINK_SECRET_KEY needs PUBLIC_URL (an https tunnel to the API) and CLINK_WEBHOOK_SIGNING_KEY beside it: set them, or unset it to use the Clink double',
    );
  }
  return {
    apiUrl: url(env, 'CLINK_API_URL') ?? SANDBOX,
    secretKey,
    webhookSigningKey,
    publicUrl: publicUrl.replace(/\/+$/, ''),
  };
}

function url(env: NodeJS.ProcessEnv, variable: string): string | null {
  const value = env[variable];
  if (!value) return null;
  if (!URL.canParse(value)) throw new Problem(`${variable} is not a URL: correct it or unset it`);
  return value;
}
