import { Validations } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import type { Configuration } from './configuration.ts';
import type { DataStack } from './data-stack.ts';
import { asApplication, asOwner, bySecret, type DatabaseAccess } from './database-access.ts';
import { letFunctionsIn } from './network.ts';

export interface DatabaseChoice {
  readonly application: DatabaseAccess;
  readonly migrator: DatabaseAccess;
}

/** Our own Aurora when there is a data stack, else the database whose secret the merchant named. */
export function chooseDatabase(scope: Construct, configuration: Configuration, data: DataStack | null): DatabaseChoice {
  return data ? ownAurora(scope, data) : merchantsDatabase(scope, configuration);
}

function ownAurora(scope: Construct, { vpc, cluster, databaseSecurityGroup }: DataStack): DatabaseChoice {
  const network = letFunctionsIn(scope, {
    vpc,
    vpcSubnets: { subnetGroupName: 'functions' },
    databaseSecurityGroupId: databaseSecurityGroup.securityGroupId,
  });
  return { application: asApplication(cluster, network), migrator: asOwner(cluster, network) };
}

function merchantsDatabase(scope: Construct, configuration: Configuration): DatabaseChoice {
  const { vpcId, privateSubnetIds, databaseSecurityGroupId } = configuration;
  const secret = { secretArn: configuration.databaseSecretArn, keyArn: configuration.databaseSecretKeyArn };
  if (vpcId === '') {
    const access = bySecret(secret, null);
    return { application: access, migrator: access };
  }
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId,
    // Where the subnets lie is EC2's business; the CDK only wants as many names as subnets.
    availabilityZones: privateSubnetIds.map((_, index) => `zone-${index}`),
    privateSubnetIds: [...privateSubnetIds],
  });
  Validations.of(vpc).acknowledge({
    id: '@aws-cdk/aws-ec2:noSubnetRouteTableId',
    reason: 'The functions only stand in these subnets; nothing here adds a route to their tables.',
  });
  const network = letFunctionsIn(scope, { vpc, vpcSubnets: { subnets: vpc.privateSubnets }, databaseSecurityGroupId });
  const access = bySecret(secret, network);
  return { application: access, migrator: access };
}
