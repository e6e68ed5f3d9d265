import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import { DATABASE_NAME, DATABASE_OWNER } from './data-stack.ts';
import type { FunctionNetwork } from './network.ts';

/** The role that migration 0003 makes, and that every function but the migrator works as. */
const APPLICATION_ROLE = 'payments_app';
/** Where Lambda's Node.js runtime keeps Amazon's certificate authorities, Aurora's among them. */
const AMAZON_AUTHORITIES = '/var/runtime/ca-cert.pem';

/** How a function reaches the database: its environment, its place, and what its role may do for that. */
export interface DatabaseAccess {
  readonly environment: Readonly<Record<string, string>>;
  readonly network: Partial<FunctionNetworkProps>;
  allow(user: LambdaFunction): void;
}

type FunctionNetworkProps = Omit<FunctionNetwork, 'securityGroups' | 'rule'> & {
  securityGroups: FunctionNetwork['securityGroups'][number][];
};

/** Our Aurora as the application's role, with a token of fifteen minutes in place of a password. */
export function asApplication(cluster: DatabaseCluster, network: FunctionNetwork): DatabaseAccess {
  return auroraAs(APPLICATION_ROLE, cluster, network);
}

/** Our Aurora as the owner of the schema: with the password that RDS manages, or with a token once RDS asks for one. */
export function asOwner(cluster: DatabaseCluster, network: FunctionNetwork): DatabaseAccess {
  const { environment, allow, ...access } = auroraAs(DATABASE_OWNER, cluster, network);
  const { secret } = cluster;
  if (!secret) throw new Error('the Aurora cluster has no secret for its owner');
  return {
    ...access,
    environment: { ...environment, DATABASE_OWNER_SECRET_ID: secret.secretArn },
    allow(user) {
      allow(user);
      user.addToRolePolicy(
        new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      );
    },
  };
}

function auroraAs(username: string, cluster: DatabaseCluster, network: FunctionNetwork): DatabaseAccess {
  return {
    environment: {
      DATABASE_HOST: cluster.clusterEndpoint.hostname,
      DATABASE_NAME,
      DATABASE_USER: username,
      NODE_EXTRA_CA_CERTS: AMAZON_AUTHORITIES,
    },
    network: propsOf(network),
    allow(user) {
      const { region, account, partition } = Stack.of(user);
      const database = `${cluster.clusterResourceIdentifier}/${username}`;
      user.addToRolePolicy(
        new PolicyStatement({
          actions: ['rds-db:connect'],
          resources: [`arn:${partition}:rds-db:${region}:${account}:dbuser:${database}`],
        }),
      );
      allowNetwork(user, network);
    },
  };
}

/** A secret, and the merchant's own key that encrypts it; an empty `keyArn` for the key that AWS manages. */
export interface EncryptedSecret {
  readonly secretArn: string;
  readonly keyArn: string;
}

/** A database of the merchant's own, with the user and password of its secret. */
export function bySecret({ secretArn, keyArn }: EncryptedSecret, network: FunctionNetwork | null): DatabaseAccess {
  return {
    environment: { DATABASE_SECRET_ID: secretArn, NODE_EXTRA_CA_CERTS: AMAZON_AUTHORITIES },
    network: network ? propsOf(network) : {},
    allow(user) {
      user.addToRolePolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secretArn] }));
      if (keyArn !== '') user.addToRolePolicy(mayDecrypt(keyArn, secretArn, Stack.of(user).region));
      if (network) allowNetwork(user, network);
    },
  };
}

/** By way of Secrets Manager, and nothing but this secret: that is what it names when it decrypts. */
function mayDecrypt(keyArn: string, secretArn: string, region: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['kms:Decrypt'],
    resources: [keyArn],
    conditions: {
      StringEquals: {
        'kms:ViaService': `secretsmanager.${region}.amazonaws.com`,
        'kms:EncryptionContext:SecretARN': secretArn,
      },
    },
  });
}

function propsOf({ vpc, vpcSubnets, securityGroups }: FunctionNetwork): FunctionNetworkProps {
  return { vpc, vpcSubnets, securityGroups: [...securityGroups] };
}

const NETWORK_INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Lambda makes the function's network interfaces with the function's role, and EC2 takes no narrower resource for these.
 * What the code in a function asks for carries the function's ARN, and is denied: it has no use for them.
 */
function allowNetwork(user: LambdaFunction, { rule }: FunctionNetwork): void {
  user.node.addDependency(rule);
  const { region, account, partition } = Stack.of(user);
  const anyFunction = `arn:${partition}:lambda:${region}:${account}:function:*`;
  const all = { actions: NETWORK_INTERFACES, resources: ['*'] };
  user.addToRolePolicy(new PolicyStatement(all));
  user.addToRolePolicy(
    new PolicyStatement({
      ...all,
      effect: Effect.DENY,
      conditions: { ArnLike: { 'lambda:SourceFunctionArn': anyFunction } },
    }),
  );
}
