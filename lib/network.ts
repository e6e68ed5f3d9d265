import {
  CfnSecurityGroupIngress,
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  type SubnetSelection,
} from 'aws-cdk-lib/aws-ec2';
import type { Construct, IDependable } from 'constructs';

/** Where functions run to reach a database that has no public address. */
export interface FunctionNetwork {
  readonly vpc: IVpc;
  readonly vpcSubnets: SubnetSelection;
  readonly securityGroups: readonly ISecurityGroup[];
  /** What lets the functions in; nothing connects before it is there. */
  readonly rule: IDependable;
}

/**
 * Gives the functions a security group of their own and lets it in at the database. The rule belongs to the functions'
 * stack, so that the database's stack depends on nothing that comes and goes with the application.
 */
export function letFunctionsIn(
  scope: Construct,
  {
    vpc,
    vpcSubnets,
    databaseSecurityGroupId,
  }: { vpc: IVpc; vpcSubnets: SubnetSelection; databaseSecurityGroupId: string },
): FunctionNetwork {
  const functions = new SecurityGroup(scope, 'FunctionSecurityGroup', {
    vpc,
    description: 'Functions of the payments backend; nothing may connect to them',
  });
  const rule = new CfnSecurityGroupIngress(scope, 'FunctionsToDatabase', {
    groupId: databaseSecurityGroupId,
    sourceSecurityGroupId: functions.securityGroupId,
    ipProtocol: 'tcp',
    fromPort: 5432,
    toPort: 5432,
    description: 'Functions of the payments backend',
  });
  return { vpc, vpcSubnets, securityGroups: [functions], rule };
}
