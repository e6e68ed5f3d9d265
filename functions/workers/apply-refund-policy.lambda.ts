import { applyRefundPolicy } from '../flows/apply-refund-policy.ts';
import { refundPolicyByCall } from '../merchant/refund-policy.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { call } from './merchant-endpoint.ts';
import { flow, runDeps } from './task-deps.ts';

const deps = { ...flow, refundPolicy: refundPolicyByCall(call) };

export const handler = taskWorker(runDeps, 'apply_refund_policy', (task, lease) =>
  applyRefundPolicy(deps, task, lease),
);
