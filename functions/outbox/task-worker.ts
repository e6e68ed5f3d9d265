import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';

import type { TaskName } from '../decisions/decision.ts';
import { describeError, log } from '../platform/log.ts';
import { type RunDeps, runTicket, type Work } from './run-task.ts';
import { readTicket } from './ticket.ts';

export type WorkerContext = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

/**
 * The handler of a task's queue, meant for batches of one. A message goes back to SQS only when the database could not be
 * reached, so that is what its dead-letter queue means; every other failure is on the row and ends the message.
 */
export function taskWorker(deps: RunDeps, task: TaskName, work: Work) {
  async function isDealtWith({ body, messageId }: SQSRecord, context: WorkerContext): Promise<boolean> {
    const ticket = readTicket(body);
    if (ticket === null) {
      log.error('ticket_malformed', { task, messageId });
      return true;
    }
    try {
      const remainingMs = context.getRemainingTimeInMillis();
      await runTicket(deps, ticket, task, work, { workerId: context.awsRequestId, remainingMs });
      return true;
    } catch (error) {
      log.error('database_unreachable', {
        task,
        taskId: ticket.taskId,
        eventId: ticket.eventId,
        ...describeError(error),
      });
      return false;
    }
  }

  return async (event: SQSEvent, context: WorkerContext): Promise<SQSBatchResponse> => {
    const batchItemFailures = [];
    for (const record of event.Records) {
      if (!(await isDealtWith(record, context))) batchItemFailures.push({ itemIdentifier: record.messageId });
    }
    return { batchItemFailures };
  };
}
