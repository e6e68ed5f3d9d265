import { App } from 'aws-cdk-lib';
import { ConfigurationError } from '../lib/configuration.ts';
import { addStacks } from '../lib/payments-app.ts';

try {
  addStacks(new App(), environment());
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Account and region of the deploying credentials, as the CDK's command line hands them over. */
function environment(): { account?: string; region?: string } {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return { ...(account && { account }), ...(region && { region }) };
}
