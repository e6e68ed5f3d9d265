import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { FlowLogDestination, FlowLogTrafficType, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  AuroraPostgresEngineVersion,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
} from 'aws-cdk-lib/aws-rds';
import type { Construct } from 'constructs';
import type { Configuration } from './configuration.ts';

export const DATABASE_NAME = 'payments';
export const DATABASE_OWNER = 'postgres';

/** What must outlive every deployment of the application: the network and the database with the bookkeeping. */
export class DataStack extends Stack {
  readonly vpc: Vpc;
  readonly cluster: DatabaseCluster;
  readonly databaseSecurityGroup: SecurityGroup;

  constructor(scope: Construct, id: string, configuration: Configuration, props: StackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    this.vpc = this.network();
    this.databaseSecurityGroup = new SecurityGroup(this, 'DatabaseSecurityGroup', {
      vpc: this.vpc,
      description: 'Aurora of the payments backend',
      allowAllOutbound: false,
    });
    this.cluster = this.aurora(configuration);
  }

  private network(): Vpc {
    const flowLogs = new LogGroup(this, 'FlowLogs', { retention: RetentionDays.ONE_MONTH });
    return new Vpc(this, 'Vpc', {
      maxAzs: 2,
      // One way out for the functions: to Clink, to the merchant's endpoint and to AWS. A lost zone is a pause, not a loss.
      natGateways: 1,
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
        { name: 'functions', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 20 },
        { name: 'database', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
      ],
      flowLogs: {
        rejected: {
          destination: FlowLogDestination.toCloudWatchLogs(flowLogs),
          trafficType: FlowLogTrafficType.REJECT,
        },
      },
    });
  }

  private aurora({ minCapacity, maxCapacity }: Configuration): DatabaseCluster {
    const key = new Key(this, 'DatabaseKey', {
      description: 'Encrypts the payments database and its backups',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // Made first, so that Aurora's logs do not come into being without an end.
    const clusterIdentifier = this.stackName.toLowerCase();
    const logs = new LogGroup(this, 'DatabaseLogs', {
      logGroupName: `/aws/rds/cluster/${clusterIdentifier}/postgresql`,
      retention: RetentionDays.THREE_MONTHS,
    });
    const cluster = new DatabaseCluster(this, 'Aurora', {
      clusterIdentifier,
      engine: DatabaseClusterEngine.auroraPostgres({ version: AuroraPostgresEngineVersion.VER_18_6 }),
      writer: ClusterInstance.serverlessV2('Writer', {
        enablePerformanceInsights: true,
        performanceInsightEncryptionKey: key,
      }),
      serverlessV2MinCapacity: minCapacity,
      serverlessV2MaxCapacity: maxCapacity,
      vpc: this.vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroups: [this.databaseSecurityGroup],
      defaultDatabaseName: DATABASE_NAME,
      // RDS keeps the owner's password in Secrets Manager and rotates it by itself.
      manageMasterUserPassword: true,
      credentials: Credentials.fromUsername(DATABASE_OWNER),
      iamAuthentication: true,
      storageEncrypted: true,
      storageEncryptionKey: key,
      backup: { retention: Duration.days(35), preferredWindow: '02:00-03:00' },
      preferredMaintenanceWindow: 'sun:03:30-sun:04:30',
      copyTagsToSnapshot: true,
      cloudwatchLogsExports: ['postgresql'],
      parameters: {
        // The server itself refuses a client that does not encrypt.
        'rds.force_ssl': '1',
        log_min_duration_statement: '1000',
        // Statements carry bodies and addresses as parameters; none of them belongs in a log.
        log_parameter_max_length: '0',
        log_parameter_max_length_on_error: '0',
        log_error_verbosity: 'terse',
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    cluster.node.addDependency(logs);
    return cluster;
  }
}
