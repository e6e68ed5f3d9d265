import { fulfillOrder } from '../flows/fulfill-order.ts';
import { fulfillmentByCall } from '../merchant/fulfillment.ts';
import { taskWorker } from '../outbox/task-worker.ts';
import { call } from './merchant-endpoint.ts';
import { flow, runDeps } from './task-deps.ts';

const deps = { ...flow, fulfillment: fulfillmentByCall(call) };

export const handler = taskWorker(runDeps, 'fulfill', (task, lease) => fulfillOrder(deps, task, lease));
