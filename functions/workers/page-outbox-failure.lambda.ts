import { pageFailure } from '../flows/page-failure.ts';
import { alertingByCall } from '../merchant/alerting.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { call } from './merchant-endpoint.ts';
import { runDeps } from './task-deps.ts';

const deps = { alerting: alertingByCall(call) };

export const handler = taskWorker(runDeps, 'page_outbox_failure', (task, lease) => pageFailure(deps, task, lease));
