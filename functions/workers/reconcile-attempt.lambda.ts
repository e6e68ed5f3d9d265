import { reconcileAttempt } from '../flows/reconcile-attempt.ts';
import { requiredClinkOrderId } from '../flows/task-payload.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { clink } from './clink-api.ts';
import { flow, runDeps } from './task-deps.ts';

const deps = { ...flow, clink };

export const handler = taskWorker(runDeps, 'reconcile_attempt', (task, { signal }) =>
  reconcileAttempt(deps, { clinkOrderId: requiredClinkOrderId(task), eventId: task.eventId, signal }),
);
