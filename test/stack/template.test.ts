import { describe, expect, it } from 'vitest';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { OWN_DATABASE, OWN_DATABASE_IN_VPC, REQUIRED, type Resource, synthesize } from './synthesized.ts';

const production = synthesize(REQUIRED);
const all = production.template('ClinkPayments').Resources as Record<string, Resource>;
const resources = (type: string) => production.resources('ClinkPayments', type);

/** Functions of ours, by logical id; the CDK adds one of its own that runs the migrations. */
const functions = Object.entries(resources('AWS::Lambda::Function')).filter(([id]) => !id.startsWith('AWSCDK'));
const QUEUES = resources('AWS::SQS::Queue');

function named(part: string): Resource {
  const found = functions.filter(([id]) => id.startsWith(part));
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? expect.fail(`there is no function ${part}`);
}

/** The logical id that a Ref or GetAtt points at. */
function target(value: unknown): string {
  const { Ref, 'Fn::GetAtt': getAtt } = Object(value) as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
  return Ref ?? getAtt?.[0] ?? '';
}

const queueOf = (id: string): Resource => QUEUES[id] ?? expect.fail(`there is no queue ${id}`);

describe('functions', () => {
  it('are fourteen: three routes, eight workers, the claimer, the migrator and the operator', () => {
    expect(functions).toHaveLength(14);
  });

  it.each(functions)('%s runs Node 24 on arm64, with tracing and JSON logs of its own', (_id, { Properties }) => {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON' },
    });
    const logGroup = resources('AWS::Logs::LogGroup')[target(Properties.LoggingConfig?.LogGroup)];
    expect(logGroup?.Properties.RetentionInDays).toBe(90);
    expect(Properties.ReservedConcurrentExecutions).toBeUndefined();
    expect(Properties.Environment?.Variables).toMatchObject({ NODE_OPTIONS: '--enable-source-maps' });
  });

  it.each(functions)('%s has no secret in its environment, only where one lies', (_id, { Properties }) => {
    for (const [name, value] of Object.entries(Properties.Environment?.Variables ?? {})) {
      if (/SECRET_ID$/.test(name)) expect(value).not.toBeTypeOf('string');
      expect(name).not.toMatch(/PASSWORD|API_KEY$|TOKEN|DATABASE_URL/);
    }
  });

  it.each(functions)('%s runs in private subnets, behind a group that lets nobody in', (_id, { Properties }) => {
    const subnets = JSON.stringify(Properties.VpcConfig?.SubnetIds);
    expect(subnets).toContain('functionsSubnet1');
    expect(subnets).not.toContain('publicSubnet');
    const groups = Object.values(Object(Properties.VpcConfig?.SecurityGroupIds)).map((group) => target(group));
    expect(groups).toEqual([expect.stringMatching(/^FunctionSecurityGroup/)]);
    expect(resources('AWS::EC2::SecurityGroup')[groups[0] ?? '']?.Properties.SecurityGroupIngress).toBeUndefined();
  });

  it('of the routes answer before the gateway gives up', () => {
    for (const name of ['CreateCheckout', 'GetOrder', 'ClinkWebhook']) {
      expect(Number(named(name).Properties.Timeout)).toBeLessThan(29);
    }
  });

  it('verify the database’s certificate', () => {
    for (const [, { Properties }] of functions) {
      expect(Properties.Environment?.Variables?.NODE_EXTRA_CA_CERTS).toBe('/var/runtime/ca-cert.pem');
    }
  });
});

describe('log groups', () => {
  it.each(Object.entries(resources('AWS::Logs::LogGroup')))('%s ends', (_id, { Properties }) => {
    expect(Properties.RetentionInDays).toBeGreaterThan(0);
  });
});

describe('queues', () => {
  const sources = Object.values(resources('AWS::Lambda::EventSourceMapping'));
  const isDeadLetters = (id: string) =>
    Object.values(QUEUES).some((queue) => target(queue.Properties.RedrivePolicy?.deadLetterTargetArn) === id);
  const work = Object.entries(QUEUES).filter(([id]) => !isDeadLetters(id));

  it('are one for each task and one for wake-ups, each with its dead letters', () => {
    expect(work).toHaveLength(TASK_NAMES.length + 1);
    expect(Object.keys(QUEUES)).toHaveLength(2 * work.length);
  });

  it.each(work)('%s hides a message for six times as long as its function may run', (id, { Properties }) => {
    const source = sources.find((each) => target(each.Properties.EventSourceArn) === id);
    const [, user] = functions.find(([name]) => name === target(source?.Properties.FunctionName)) ?? [];
    const timeout = Number(user?.Properties.Timeout);
    expect(timeout).toBeGreaterThan(0);
    expect(Number(Properties.VisibilityTimeout)).toBeGreaterThanOrEqual(6 * timeout);
  });

  it.each(work)('%s keeps what nobody could take for 14 days, and longer than it keeps messages', (_id, queue) => {
    const deadLetters = queueOf(target(queue.Properties.RedrivePolicy?.deadLetterTargetArn));
    expect(deadLetters.Properties.MessageRetentionPeriod).toBe(14 * 86_400);
    expect(Number(queue.Properties.MessageRetentionPeriod)).toBeLessThan(14 * 86_400);
    expect(Number(queue.Properties.RedrivePolicy?.maxReceiveCount)).toBeGreaterThan(1);
  });

  it.each(Object.entries(QUEUES))('%s is encrypted, and talked to over TLS only', (id, { Properties }) => {
    expect(Properties.SqsManagedSseEnabled).toBe(true);
    const policy = Object.values(resources('AWS::SQS::QueuePolicy')).find(({ Properties: { Queues } }) =>
      JSON.stringify(Queues).includes(`"${id}"`),
    );
    expect(policy?.Properties.PolicyDocument).toMatchObject({
      Statement: [
        {
          Effect: 'Deny',
          Action: 'sqs:*',
          Principal: { AWS: '*' },
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ],
    });
  });

  it.each(TASK_NAMES)('of %s hand over one row at a time, to so many workers and no more', (task) => {
    const name = task.replaceAll('_', '');
    const source = sources.find((each) =>
      target(each.Properties.EventSourceArn).toLowerCase().startsWith(`${name}workqueue`),
    );
    expect(source?.Properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    const worker = functions.find(([id]) => id === target(source?.Properties.FunctionName));
    expect(worker?.[0].toLowerCase()).toContain(`${name}worker`);
  });

  it('are pruned by the claimer of what is older than the option says', () => {
    const short = synthesize({ ...REQUIRED, retentionDays: '30' });
    const claimers = Object.entries(short.resources('ClinkPayments', 'AWS::Lambda::Function'))
      .filter(([id]) => id.startsWith('OutboxClaim'))
      .map(([, { Properties }]) => Properties.Environment?.Variables?.RETENTION_DAYS);
    expect(claimers).toEqual(['30']);
  });

  it('are not filled faster than workers empty them', () => {
    expect(named('OutboxClaim').Properties.Environment?.Variables?.MAX_IN_FLIGHT).toBe('10');
    const wide = synthesize({ ...REQUIRED, workersPerTask: '25' });
    const widths = Object.values(wide.resources('ClinkPayments', 'AWS::Lambda::EventSourceMapping')).map(
      ({ Properties }) => Properties.ScalingConfig?.MaximumConcurrency,
    );
    expect(widths.filter((width) => Number(width) === 25)).toHaveLength(TASK_NAMES.length);
  });
});

describe('the schedule', () => {
  it('has the claimer look every minute, whatever becomes of wake-ups', () => {
    const rules = Object.values(resources('AWS::Events::Rule'));
    expect(rules).toHaveLength(1);
    expect(rules[0]?.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    const targets = Object.values(Object(rules[0]?.Properties.Targets)) as { Arn: unknown }[];
    expect(targets.map(({ Arn }) => target(Arn))).toEqual([expect.stringMatching(/^OutboxClaimClaimer/)]);
  });

  it('does not have Lambda run or keep a minute’s look when the next minute has its own', () => {
    const [asynchronous, ...others] = Object.values(resources('AWS::Lambda::EventInvokeConfig'));
    expect(others).toEqual([]);
    expect(target(asynchronous?.Properties.FunctionName)).toMatch(/^OutboxClaimClaimer/);
    expect(asynchronous?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });
});

describe('the API', () => {
  const routes = Object.values(resources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties);
  const route = (key: string) => routes.find(({ RouteKey }) => String(RouteKey) === key);
  const [api] = Object.values(resources('AWS::ApiGatewayV2::Api'));
  const [stage] = Object.values(resources('AWS::ApiGatewayV2::Stage'));
  const KEYS = ['POST /api/checkout/create', 'GET /api/orders/{id}', 'POST /api/webhooks/clink'];

  it('has three routes and no other way in', () => {
    expect(routes.map(({ RouteKey }) => String(RouteKey)).sort()).toEqual([...KEYS].sort());
    expect(resources('AWS::Lambda::Url')).toEqual({});
  });

  it('wants a customer’s token on the two JSON routes', () => {
    const [authorizer] = Object.entries(resources('AWS::ApiGatewayV2::Authorizer'));
    expect(authorizer?.[1].Properties).toMatchObject({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: REQUIRED.jwtIssuer, Audience: [REQUIRED.jwtAudience] },
    });
    for (const key of KEYS.slice(0, 2)) {
      expect(route(key)).toMatchObject({ AuthorizationType: 'JWT', AuthorizerId: { Ref: authorizer?.[0] } });
    }
  });

  it('lets Clink’s webhooks through to their signature check', () => {
    expect(route('POST /api/webhooks/clink')).toMatchObject({ AuthorizationType: 'NONE' });
    expect(route('POST /api/webhooks/clink')).not.toHaveProperty('AuthorizerId');
  });

  it('answers the shop’s pages and no others', () => {
    expect(api?.Properties.CorsConfiguration).toEqual({
      AllowOrigins: [REQUIRED.shopOrigin],
      AllowMethods: ['GET', 'POST'],
      AllowHeaders: ['authorization', 'content-type', 'idempotency-key'],
      MaxAge: 3600,
    });
  });

  it.each(KEYS)('limits %s', (key) => {
    const limits = Object(stage?.Properties.RouteSettings)[key];
    expect(limits.ThrottlingRateLimit).toBeGreaterThan(0);
    expect(limits.ThrottlingBurstLimit).toBeGreaterThan(0);
  });

  it('logs who asked for what, and no header, query string or body', () => {
    const format = JSON.parse(String(stage?.Properties.AccessLogSettings?.Format)) as Record<string, string>;
    expect(Object.values(format).sort()).toEqual([
      '$context.identity.sourceIp',
      '$context.integrationErrorMessage',
      '$context.requestId',
      '$context.requestTime',
      '$context.responseLatency',
      '$context.routeKey',
      '$context.status',
    ]);
  });

  it('is what lets each function be called, and for one route only', () => {
    const permissions = Object.values(resources('AWS::Lambda::Permission')).map(({ Properties }) => Properties);
    for (const { SourceArn } of permissions) expect(SourceArn).toBeDefined();
    const fromApi = permissions.filter(({ Principal }) => String(Principal) === 'apigateway.amazonaws.com');
    expect(fromApi.map(({ SourceArn }) => JSON.stringify(SourceArn).match(/\/api\/[\w/*{}]+/)?.[0]).sort()).toEqual([
      '/api/checkout/create',
      '/api/orders/{id}',
      '/api/webhooks/clink',
    ]);
  });
});

describe('the operator function', () => {
  it('is called by nobody but a person who may invoke it', () => {
    const [[id = ''] = []] = functions.filter(([name]) => name.startsWith('Operator'));
    const callers = [
      'AWS::Lambda::Permission',
      'AWS::Lambda::EventSourceMapping',
      'AWS::ApiGatewayV2::Integration',
      'AWS::Events::Rule',
    ];
    for (const type of callers) expect(JSON.stringify(resources(type))).not.toContain(`"${id}"`);
    expect(JSON.stringify(resources('AWS::IAM::Policy'))).not.toContain(`"${id}"`);
    expect(production.template('ClinkPayments').Outputs).toMatchObject({ OperatorFunction: { Value: { Ref: id } } });
  });
});

describe('what must stay', () => {
  it('the secrets survive the stack', () => {
    for (const secret of Object.values(resources('AWS::SecretsManager::Secret'))) {
      expect(secret).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
  });

  it('the rule that lets functions in at the database comes and goes with them', () => {
    expect(
      Object.values(resources('AWS::EC2::SecurityGroupIngress')).map(({ Properties }) => Properties),
    ).toMatchObject([{ FromPort: 5432, ToPort: 5432, IpProtocol: 'tcp' }]);
  });
});

describe('migrations', () => {
  const [trigger] = Object.entries(resources('Custom::Trigger'));
  const triggerId = trigger?.[0] ?? '';
  const migrator = functions.find(([id]) => id.startsWith('SchemaMigration'))?.[0];

  it('run in every deployment that brings a new migrator or a new migration', () => {
    expect(trigger?.[1].Properties).toMatchObject({
      InvocationType: 'RequestResponse',
      ExecuteOnHandlerChange: true,
      HandlerArn: { Ref: expect.stringMatching(/^SchemaMigrationMigratorCurrentVersion/) },
    });
  });

  it.each(functions.filter(([id]) => id !== migrator))('are done before %s has new code', (_id, { DependsOn }) => {
    expect(DependsOn).toContain(triggerId);
  });

  it('find the way to the database open', () => {
    const [rule] = Object.keys(resources('AWS::EC2::SecurityGroupIngress'));
    expect(all[migrator ?? '']?.DependsOn).toContain(rule);
  });

  it('are the only thing that works as the owner of the schema', () => {
    const owners = functions.filter(
      ([, { Properties }]) => 'DATABASE_OWNER_SECRET_ID' in Object(Properties.Environment?.Variables),
    );
    expect(owners.map(([id]) => id)).toEqual([migrator]);
    for (const [id, { Properties }] of functions) {
      expect(Properties.Environment?.Variables?.DATABASE_USER).toBe(id === migrator ? 'postgres' : 'payments_app');
    }
  });
});

describe.each([
  ['outside of any VPC', OWN_DATABASE, 0],
  ['in its VPC', OWN_DATABASE_IN_VPC, 1],
] as const)('a database of the merchant’s own, %s', (_where, context, groups) => {
  const own = synthesize(context);
  const template = own.template('ClinkPayments').Resources as Record<string, Resource>;

  it('is used as it is: nothing of RDS is made', () => {
    expect(own.app.node.tryFindChild('ClinkPaymentsData')).toBeUndefined();
    const types = new Set(Object.values(template).map(({ Type }) => Type));
    expect([...types].filter((type) => /^AWS::(RDS|EC2::VPC|EC2::Subnet|EC2::NatGateway)/.test(type))).toEqual([]);
  });

  it('is reached from where it was said to be', () => {
    expect(Object.keys(own.resources('ClinkPayments', 'AWS::EC2::SecurityGroup'))).toHaveLength(groups);
    expect(Object.keys(own.resources('ClinkPayments', 'AWS::EC2::SecurityGroupIngress'))).toHaveLength(groups);
    const inVpc = Object.values(template).filter(({ Properties }) => Properties?.VpcConfig !== undefined);
    expect(inVpc).toHaveLength(groups * functions.length);
  });

  it('is opened with its secret', () => {
    const users = Object.values(template).filter(
      ({ Properties }) => Properties?.Environment?.Variables?.DATABASE_SECRET_ID,
    );
    expect(users).toHaveLength(functions.length);
    expect(JSON.stringify(template)).not.toContain('rds-db:connect');
  });
});
