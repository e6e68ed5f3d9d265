import { createClinkClient } from '../clink/client.ts';
import { functionSecrets } from '../platform/secrets.ts';
import { text } from '../platform/settings.ts';

const secrets = functionSecrets();
const apiKeySecretId = text('CLINK_API_KEY_SECRET_ID');

/** Clink as the reconciling workers see it, once per instance. */
export const clink = createClinkClient({
  baseUrl: text('CLINK_API_URL'),
  apiKeys: () => secrets.read(apiKeySecretId),
  freshApiKeys: () => secrets.refresh(apiKeySecretId),
  timeoutMs: 10_000,
});
