import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import { type AlarmRules, MINUTE } from './alarm-rule.ts';

export interface Capacity {
  readonly minCapacity: number;
  readonly maxCapacity: number;
}

const HOUR = Duration.hours(1);
const GIGABYTE = 1024 ** 3;

/** What must not go wrong with our own database. */
export function databaseAlarms(cluster: DatabaseCluster, capacity: Capacity): AlarmRules {
  const { minCapacity, maxCapacity } = capacity;
  return {
    DatabaseConnections: {
      runbook: 'database-connections',
      says: 'The database has four fifths of the connections that it allows.',
      metric: cluster.metricDatabaseConnections({ period: MINUTE, statistic: 'Maximum' }),
      limit: Math.round(connectionLimit(capacity) * 0.8),
      periods: { beyond: 5, of: 5 },
    },
    DatabaseCpu: {
      runbook: 'database-capacity',
      says: 'The database has been computing at nine tenths of its largest size for a quarter of an hour.',
      metric: cluster.metricCPUUtilization({ period: MINUTE, statistic: 'Maximum' }),
      limit: 90,
      periods: { beyond: 15, of: 15 },
    },
    // At one fixed size there is nothing to grow into, and the figure would always be at its limit.
    ...(minCapacity < maxCapacity && {
      DatabaseCapacity: {
        runbook: 'database-capacity',
        says: 'The database has been at its largest size for a quarter of an hour.',
        metric: cluster.metricServerlessDatabaseCapacity({ period: MINUTE, statistic: 'Maximum' }),
        limit: Math.max(minCapacity, maxCapacity - 0.5),
        periods: { beyond: 15, of: 15 },
      },
    }),
    DatabaseStorage: {
      runbook: 'database-storage',
      says: 'The database grows by more than a gigabyte an hour.',
      metric: new MathExpression({
        expression: 'DIFF(volume)',
        usingMetrics: { volume: cluster.metricVolumeBytesUsed({ period: HOUR, statistic: 'Maximum' }) },
        period: HOUR,
        label: 'bytes an hour',
      }),
      limit: GIGABYTE,
      periods: { beyond: 3, of: 3 },
    },
  };
}

/**
 * What Aurora Serverless v2 sets `max_connections` to: by the memory of its largest size, at least 189 for each capacity
 * unit, and never above 5,000, or 2,000 when it may shrink below one unit.
 */
function connectionLimit({ minCapacity, maxCapacity }: Capacity): number {
  return Math.min(189 * maxCapacity, minCapacity < 1 ? 2_000 : 5_000);
}
