import { demand } from './refusal.ts';

/** Who replaces the keys that the double and the merchant share. */
export interface Rotation {
  signingSecret(): Promise<void>;
  apiKey(): Promise<void>;
}

/** Replaces one key; refused when the double was started without anyone who can. */
export async function rotateKey(rotation: Rotation | undefined, key: string): Promise<void> {
  demand(rotation !== undefined, 'This double was started without key rotation.');
  demand(key === 'signing-secret' || key === 'api-key', 'The keys are signing-secret and api-key.');
  await (key === 'api-key' ? rotation.apiKey() : rotation.signingSecret());
}
