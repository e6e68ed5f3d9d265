import { describe, expect, it } from 'vitest';
import { REQUIRED, synthesize } from './synthesized.ts';

const production = synthesize(REQUIRED);
const resources = (type: string) => production.resources('ClinkPaymentsData', type);

function only(type: string) {
  const found = Object.values(resources(type));
  expect(found).toHaveLength(1);
  const [resource] = found;
  if (!resource) throw new Error(`there is no ${type}`);
  return resource;
}

describe('the database', () => {
  const cluster = only('AWS::RDS::DBCluster');

  it('is the newest PostgreSQL 18 that the CDK knows', async () => {
    const { AuroraPostgresEngineVersion } = await import('aws-cdk-lib/aws-rds');
    const known = Object.keys(AuroraPostgresEngineVersion).filter((name) => /^VER_18_\d+$/.test(name));
    const newest = Math.max(...known.map((name) => Number(name.split('_')[2])));
    expect(cluster.Properties.EngineVersion).toBe(`18.${newest}`);
  });

  it('is encrypted with a key of ours that is kept and rotated', () => {
    expect(cluster.Properties).toMatchObject({ StorageEncrypted: true, KmsKeyId: expect.anything() });
    const key = only('AWS::KMS::Key');
    expect(key).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(key.Properties.EnableKeyRotation).toBe(true);
  });

  it('survives whatever is deleted', () => {
    expect(cluster).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(cluster.Properties.DeletionProtection).toBe(true);
    expect(only('AWS::RDS::DBInstance')).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(production.app.node.findChild('ClinkPaymentsData')).toMatchObject({ terminationProtection: true });
  });

  it('can be put back to any moment of the last 35 days', () => {
    expect(cluster.Properties).toMatchObject({ BackupRetentionPeriod: 35, CopyTagsToSnapshot: true });
  });

  it('has no public address, and stands in subnets without a way to the internet', () => {
    for (const instance of Object.values(resources('AWS::RDS::DBInstance'))) {
      expect(instance.Properties.PubliclyAccessible).toBe(false);
    }
    const isolated = Object.entries(resources('AWS::EC2::Subnet')).filter(([id]) => id.startsWith('VpcdatabaseSubnet'));
    const ids = isolated.map(([id]) => ({ Ref: id }));
    expect(ids).toHaveLength(2);
    expect(only('AWS::RDS::DBSubnetGroup').Properties.SubnetIds).toEqual(ids);
    const routes = Object.values(resources('AWS::EC2::Route')).map(({ Properties }) =>
      String(Properties.RouteTableId?.Ref),
    );
    expect(routes).toHaveLength(4);
    expect(routes.filter((table) => table.startsWith('Vpcdatabase'))).toEqual([]);
  });

  it('lets nobody in by rules of its own', () => {
    const [group] = Object.values(resources('AWS::EC2::SecurityGroup'));
    expect(group?.Properties.SecurityGroupIngress).toBeUndefined();
    expect(resources('AWS::EC2::SecurityGroupIngress')).toEqual({});
  });

  it('takes tokens in place of passwords, and refuses a client that does not encrypt', () => {
    expect(cluster.Properties).toMatchObject({ EnableIAMDatabaseAuthentication: true, ManageMasterUserPassword: true });
    expect(cluster.Properties).not.toHaveProperty('MasterUserPassword');
    expect(only('AWS::RDS::DBClusterParameterGroup').Properties.Parameters).toMatchObject({ 'rds.force_ssl': '1' });
  });

  it('writes no parameter of a statement to its log, which ends', () => {
    expect(cluster.Properties.EnableCloudwatchLogsExports).toEqual(['postgresql']);
    expect(only('AWS::RDS::DBClusterParameterGroup').Properties.Parameters).toMatchObject({
      log_parameter_max_length: '0',
      log_parameter_max_length_on_error: '0',
    });
    const name = `/aws/rds/cluster/${String(cluster.Properties.DBClusterIdentifier)}/postgresql`;
    const logs = Object.values(resources('AWS::Logs::LogGroup'));
    expect(logs.map(({ Properties }) => Properties.LogGroupName)).toContain(name);
    for (const { Properties } of logs) expect(Properties.RetentionInDays).toBeGreaterThan(0);
  });

  it('has the sizes that were asked for', () => {
    const scaling = { MinCapacity: 0.5, MaxCapacity: 8 };
    expect(cluster.Properties.ServerlessV2ScalingConfiguration).toEqual(scaling);
    const larger = synthesize({ ...REQUIRED, minCapacity: '2', maxCapacity: '64' });
    const [other] = Object.values(larger.resources('ClinkPaymentsData', 'AWS::RDS::DBCluster'));
    expect(other?.Properties.ServerlessV2ScalingConfiguration).toEqual({ MinCapacity: 2, MaxCapacity: 64 });
  });
});

describe('the stack of the data', () => {
  it('uses nothing of the application', () => {
    expect(JSON.stringify(production.template('ClinkPaymentsData'))).not.toContain('Fn::ImportValue');
    const outputs = Object.values(production.template('ClinkPayments').Outputs as Record<string, object>);
    expect(outputs.filter((output) => 'Export' in output)).toEqual([]);
  });

  it('holds no secret that somebody could read in the template', () => {
    const texts = JSON.stringify([production.template('ClinkPaymentsData'), production.template('ClinkPayments')]);
    expect(texts).not.toMatch(/whsec_|sk_(test|live|uat)|BEGIN [A-Z ]*PRIVATE KEY/);
  });
});
