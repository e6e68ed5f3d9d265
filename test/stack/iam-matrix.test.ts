import { describe, expect, it } from 'vitest';
import { type Grant, grantsOf, nameOf, text } from './grants.ts';
import { OWN_DATABASE_WITH_KEY, REQUIRED, type Resource, type StackName, synthesize } from './synthesized.ts';
import { expectWritten, table } from './written-section.ts';

const production = synthesize(REQUIRED);
const application = production.template('ClinkPayments').Resources as Record<string, Resource>;
const data = production.template('ClinkPaymentsData').Resources as Record<string, Resource>;
const grants = grantsOf(application);

const usersOf = (matches: (grant: Grant) => boolean) => [...new Set(grants.filter(matches).map(({ user }) => user))];
/** Grants of the functions of ours; the CDK's own, which runs the migrations, stands in the matrix too. */
const ours = grants.filter(({ user }) => !user.startsWith('AWSCDK'));

describe('grants', () => {
  it('name every resource, but for X-Ray and network interfaces, which take no narrower one', () => {
    const wide = ours.filter(({ resource }) => resource.includes('*'));
    expect([...new Set(wide.map(({ action, resource }) => `${action} on ${resource}`))].sort()).toEqual([
      'ec2:AssignPrivateIpAddresses on *',
      'ec2:CreateNetworkInterface on *',
      'ec2:DeleteNetworkInterface on *',
      'ec2:DescribeNetworkInterfaces on *',
      'ec2:DescribeSubnets on *',
      'ec2:UnassignPrivateIpAddresses on *',
      'xray:PutTelemetryRecords on *',
      'xray:PutTraceSegments on *',
    ]);
    expect(ours.filter(({ action }) => action.includes('*'))).toEqual([]);
  });

  it('on network interfaces are Lambda’s to use, and denied to the code in a function', () => {
    const roles = Object.values(application).filter(
      ({ Type, Properties }) =>
        Type === 'AWS::IAM::Policy' && JSON.stringify(Properties).includes('ec2:CreateNetworkInterface'),
    );
    expect(roles).toHaveLength(14);
    for (const { Properties } of roles) {
      const statements = Object.values(Object(Properties.PolicyDocument?.Statement)) as Record<string, unknown>[];
      const ofEffect = (effect: string) =>
        statements
          .filter(({ Effect }) => Effect === effect)
          .flatMap(({ Action }) => [Action].flat())
          .filter((action) => String(action).startsWith('ec2:'));
      expect(ofEffect('Deny')).toEqual(ofEffect('Allow'));
      const denied = statements.filter(({ Effect }) => Effect === 'Deny');
      expect(denied).toMatchObject([{ Resource: '*', Condition: { ArnLike: { 'lambda:SourceFunctionArn': {} } } }]);
    }
  });

  it('outside of a VPC need no network interfaces', () => {
    const own = synthesize({
      ...REQUIRED,
      databaseSecretArn: `arn:aws:secretsmanager:eu-central-1:123456789012:secret:db-AbCdEf`,
    });
    const actions = grantsOf(own.template('ClinkPayments').Resources as Record<string, Resource>).map(
      ({ action }) => action,
    );
    expect(actions.filter((action) => action.startsWith('ec2:'))).toEqual([]);
    expect(actions).toContain('secretsmanager:GetSecretValue');
  });

  it('on a key of the merchant’s are to decrypt one secret, by way of Secrets Manager', () => {
    const { databaseSecretArn, databaseSecretKeyArn } = OWN_DATABASE_WITH_KEY;
    const policies = Object.values(synthesize(OWN_DATABASE_WITH_KEY).resources('ClinkPayments', 'AWS::IAM::Policy'));
    const statements = policies.flatMap(({ Properties }) =>
      Object.values(Object(Properties.PolicyDocument?.Statement)),
    );
    const onKeys = statements.filter((statement) => JSON.stringify(statement).includes('kms:'));
    expect(onKeys).toHaveLength(14);
    for (const statement of onKeys) {
      expect(statement).toEqual({
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: databaseSecretKeyArn,
        Condition: {
          StringEquals: {
            'kms:ViaService': { 'Fn::Join': ['', ['secretsmanager.', { Ref: 'AWS::Region' }, '.amazonaws.com']] },
            'kms:EncryptionContext:SecretARN': databaseSecretArn,
          },
        },
      });
    }
  });

  it('come from no managed policy', () => {
    expect(ours.filter(({ action }) => action === '(managed policy)')).toEqual([]);
  });

  it('let each secret be read by those that need it', () => {
    const readers = (secret: string) =>
      usersOf(({ action, resource }) => action === 'secretsmanager:GetSecretValue' && resource.includes(secret));
    expect(readers('{Secrets/WebhookSigning}')).toEqual(['ClinkWebhook']);
    expect(readers('{Secrets/ApiKey}')).toEqual([
      'CreateCheckout',
      'ReconcileAttempt/Worker',
      'ReconcileSession/Worker',
      'RefundReconcile/Worker',
    ]);
    expect(readers('{Secrets/MerchantSigning}')).toEqual([
      'ApplyRefundPolicy/Worker',
      'Fulfill/Worker',
      'ManualReconciliation/Worker',
      'PageOutboxFailure/Worker',
    ]);
    expect(readers('MasterUserSecret')).toEqual(['SchemaMigration/Migrator']);
  });

  it('let nothing write a secret, or change what others may do', () => {
    const strong = /^(secretsmanager:(?!GetSecretValue$)|iam:|kms:|lambda:|rds:|sts:|ssm:)/;
    expect(ours.filter(({ action }) => strong.test(action))).toEqual([]);
  });

  it('let every function open the database as the application, and the migrator as its owner', () => {
    const connects = ours.filter(({ action }) => action === 'rds-db:connect');
    expect(connects).toHaveLength(14);
    const asOwner = connects.filter(({ resource }) => !resource.endsWith('/payments_app'));
    expect(asOwner.map(({ user }) => user)).toEqual(['SchemaMigration/Migrator']);
  });

  it('let each worker take from its own queue, and only the claimer fill one', () => {
    for (const { user, resource } of ours.filter(({ action }) => action === 'sqs:ReceiveMessage')) {
      const own = user === 'OutboxClaim/Claimer' ? '{WakeUps/Queue}' : `{${user.replace('/Worker', '/Work/Queue')}}`;
      expect(resource).toBe(own);
    }
    const fills = usersOf(({ action, resource }) => action === 'sqs:SendMessage' && resource.endsWith('/Work/Queue}'));
    expect(fills).toEqual(['OutboxClaim/Claimer']);
  });

  it('on a queue are those that Lambda takes messages with, and those to send one', () => {
    const actions = ours.filter(({ action }) => action.startsWith('sqs:')).map(({ action }) => action);
    expect([...new Set(actions)].sort()).toEqual([
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
  });
});

describe('docs/iam-matrix.md', () => {
  it('lists what each function may do, and nothing else', () => {
    const stacks: [StackName, Record<string, Resource>][] = [
      ['ClinkPayments', application],
      ['ClinkPaymentsData', data],
    ];
    const rows = stacks.flatMap(([stack, resources]) =>
      grantsOf(resources).map(({ user, action, resource }) => [`${stack}/${user}`, `\`${action}\``, `\`${resource}\``]),
    );
    expectWritten('docs/iam-matrix.md', 'grants', table(['Function', 'Action', 'Resource'], rows));
  });

  it('lists who may invoke each function', () => {
    const permissions = Object.values(application)
      .filter(({ Type }) => Type === 'AWS::Lambda::Permission')
      .map(({ Properties: { FunctionName, Principal, SourceArn } }) => [
        invoked(FunctionName),
        `\`${text(application, Principal)}\``,
        `\`${text(application, SourceArn)}\``,
      ]);
    const sources = Object.values(application)
      .filter(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping')
      .map(({ Properties: { FunctionName, EventSourceArn } }) => [
        invoked(FunctionName),
        '`lambda.amazonaws.com`',
        `\`${text(application, EventSourceArn)}\``,
      ]);
    const rows = [...permissions, ...sources].toSorted((a, b) => (a.join() < b.join() ? -1 : 1));
    expectWritten('docs/iam-matrix.md', 'invocations', table(['Function', 'Invoked by', 'For'], rows));
  });
});

function invoked(functionName: unknown): string {
  const { Ref, 'Fn::GetAtt': getAtt } = Object(functionName) as { Ref?: string; 'Fn::GetAtt'?: string[] };
  return `ClinkPayments/${nameOf(application, Ref ?? getAtt?.[0] ?? '')}`;
}
