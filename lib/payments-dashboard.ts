import { AlarmStatusWidget, Dashboard, GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';

const PER_ROW = 3;

/** One page: which alarms are on, and the curve behind each of them. */
export class PaymentsDashboard extends Construct {
  constructor(scope: Construct, id: string, { all }: Alarms) {
    super(scope, id);
    const status = new AlarmStatusWidget({ title: 'Alarms', alarms: [...all], width: 24, height: 6 });
    const graphs = all.map(
      (alarm) => new GraphWidget({ title: alarm.node.id, left: [alarm.metric], width: 24 / PER_ROW, height: 4 }),
    );
    const rows = Array.from({ length: Math.ceil(graphs.length / PER_ROW) }, (_, row) =>
      graphs.slice(row * PER_ROW, (row + 1) * PER_ROW),
    );
    new Dashboard(this, 'Dashboard', { widgets: [[status], ...rows] });
  }
}
