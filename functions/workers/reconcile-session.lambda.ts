import { reconcileSession } from '../flows/reconcile-session.ts';
import { requiredOrderId } from '../flows/task-payload.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { clink } from './clink-api.ts';
import { flow, runDeps } from './task-deps.ts';

const deps = { ...flow, clink };

export const handler = taskWorker(runDeps, 'reconcile_session', (task, { signal }) =>
  reconcileSession(deps, { merchantOrderId: requiredOrderId(task), eventId: task.eventId, signal }),
);
