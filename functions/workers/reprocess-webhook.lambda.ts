import { reprocessEvent } from '../flows/reprocess-event.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { flow, runDeps } from './task-deps.ts';

export const handler = taskWorker(runDeps, 'reprocess_webhook', ({ eventId }, { signal }) =>
  reprocessEvent(flow, eventId, signal),
);
