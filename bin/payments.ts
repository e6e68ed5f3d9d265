import { App, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigurationError, readConfiguration } from '../lib/configuration.ts';
import { DataStack } from '../lib/data-stack.ts';
import { PaymentsStack } from '../lib/payments-stack.ts';

try {
  synthesize(new App());
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function synthesize(app: App): void {
  const configuration = readConfiguration((name) => app.node.tryGetContext(name));
  const env = { ...environment() };
  const data =
    configuration.databaseSecretArn === '' ? new DataStack(app, 'ClinkPaymentsData', configuration, { env }) : null;
  new PaymentsStack(app, 'ClinkPayments', { configuration, data }, { env });
  Tags.of(app).add('application', 'clink-payments');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
}

/** Account and region of the deploying credentials, as the CDK's command line hands them over. */
function environment(): { account?: string; region?: string } {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return { ...(account && { account }), ...(region && { region }) };
}
