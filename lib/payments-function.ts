import { type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundle } from './bundle.ts';
import type { DatabaseAccess } from './database-access.ts';

export interface PaymentsFunctionProps {
  /** Path under functions/, without `.lambda.ts`. */
  readonly entry: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly database: DatabaseAccess;
  readonly environment?: Readonly<Record<string, string>>;
  readonly code?: Code;
}

/**
 * One function of the backend. Its role is its own and starts with nothing but its log group; whatever it calls is
 * granted where it is wired up.
 */
export class PaymentsFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: PaymentsFunctionProps) {
    const { entry, description, timeout, database, environment, code = bundle(entry) } = props;
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com'), description });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    super(scope, id, {
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      timeout,
      // A full vCPU comes at 1,769 MB; at half of one, TLS and the first parse of the SDK dominate a cold start.
      memorySize: 1024,
      tracing: Tracing.ACTIVE,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        LOG_LEVEL: 'INFO',
        ...database.environment,
        ...environment,
      },
      ...database.network,
    });
    database.allow(this);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'X-Ray takes trace segments, and EC2 the network interfaces that Lambda makes for the function, on no narrower resource.',
    });
  }
}
