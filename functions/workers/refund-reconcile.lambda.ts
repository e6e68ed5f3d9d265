import { reconcileRefund } from '../flows/reconcile-refund.ts';
import { requiredClinkOrderId, requiredOrderId, requiredText } from '../flows/task-payload.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { clink } from './clink-api.ts';
import { flow, runDeps } from './task-deps.ts';

const deps = { ...flow, clink };

export const handler = taskWorker(runDeps, 'refund_reconcile', (task, { signal }) =>
  reconcileRefund(deps, {
    merchantOrderId: requiredOrderId(task),
    clinkOrderId: requiredClinkOrderId(task),
    eventId: task.eventId,
    refundId: requiredText(task, 'refundId'),
    signal,
  }),
);
