import { openReconciliationCase } from '../flows/open-reconciliation-case.ts';
import { alertingByCall } from '../merchant/alerting.ts';
import { deskByCall } from '../merchant/reconciliation-desk.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { call } from './merchant-endpoint.ts';
import { flow, runDeps } from './task-deps.ts';

const deps = { ...flow, desk: deskByCall(call), alerting: alertingByCall(call) };

export const handler = taskWorker(runDeps, 'manual_reconciliation', (task, lease) =>
  openReconciliationCase(deps, task, lease),
);
