import { signedCall } from '../merchant/signed-call.ts';
import { functionSecrets } from '../platform/secrets.ts';
import { text } from '../platform/settings.ts';

const secrets = functionSecrets();
const signingSecretId = text('MERCHANT_SIGNING_SECRET_ID');

/** The merchant's own endpoint, once per instance. A merchant who delivers from here replaces its use in the workers. */
export const call = signedCall({
  merchantUrl: text('MERCHANT_URL'),
  signingSecrets: () => secrets.read(signingSecretId),
});
