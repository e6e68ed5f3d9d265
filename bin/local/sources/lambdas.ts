import type { TaskName } from '../../../functions/decisions/decision.ts';
import { TASK_NAMES } from '../../../functions/outbox/tasks.ts';
import { type LambdaContext, lambdaContext } from './lambda-context.ts';

type Handler = (event: object, context: LambdaContext) => Promise<unknown>;

export interface Lambdas {
  /** Resolves with what the handler answers, or rejects with what it throws. */
  invoke(name: string, event: object): Promise<unknown>;
}

const HTTP_TIMEOUT_MS = 29_000;
const CLAIM_TIMEOUT_MS = 60_000;
const WORKER_TIMEOUT_MS = 60_000;

/** The function of a task is named as the task. */
export function workerName(task: TaskName): string {
  return task.replaceAll('_', '-');
}

const FUNCTIONS: readonly (readonly [name: string, folder: string, timeoutMs: number])[] = [
  ['create-checkout', 'http', HTTP_TIMEOUT_MS],
  ['get-order', 'http', HTTP_TIMEOUT_MS],
  ['clink-webhook', 'http', HTTP_TIMEOUT_MS],
  ['claim-due', 'outbox', CLAIM_TIMEOUT_MS],
  ...TASK_NAMES.map((task) => [workerName(task), 'workers', WORKER_TIMEOUT_MS] as const),
];

/** Loads every entry that AWS would run. They read the environment while they load, so it must be complete by then. */
export async function loadLambdas(): Promise<Lambdas> {
  const loaded = await Promise.all(
    FUNCTIONS.map(async ([name, folder, timeoutMs]) => {
      const entry: { handler: Handler } = await import(
        new URL(`../../../functions/${folder}/${name}.lambda.ts`, import.meta.url).href
      );
      return [name, { handler: entry.handler, timeoutMs }] as const;
    }),
  );
  const byName = new Map(loaded);
  return {
    async invoke(name, event) {
      const lambda = byName.get(name);
      if (lambda === undefined) throw new Error(`there is no function ${name}`);
      return lambda.handler(event, lambdaContext(name, lambda.timeoutMs));
    },
  };
}
