import { type App, type Environment, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readConfiguration } from './configuration.ts';
import { DataStack } from './data-stack.ts';
import { PaymentsStack } from './payments-stack.ts';

/** Adds the stacks that the app's context asks for, and the checks that they must pass. Throws `ConfigurationError`. */
export function addStacks(app: App, env: Environment = {}): AwsSolutionsChecks {
  const configuration = readConfiguration((name) => app.node.tryGetContext(name));
  const isDatabaseOurs = configuration.databaseSecretArn === '';
  const data = isDatabaseOurs ? new DataStack(app, 'ClinkPaymentsData', configuration, { env }) : null;
  new PaymentsStack(app, 'ClinkPayments', { configuration, data }, { env });
  Tags.of(app).add('application', 'clink-payments');
  const checks = new AwsSolutionsChecks(app, { verbose: true });
  Validations.of(app).addPlugins(checks);
  return checks;
}
