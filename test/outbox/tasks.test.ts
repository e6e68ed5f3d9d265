import { expect, it } from 'vitest';
import { queueVariable } from '../../functions/outbox/tasks.ts';

it('a task’s queue is found by a variable that is named as variables are', () => {
  expect(queueVariable('page_outbox_failure')).toBe('TASK_QUEUE_URL_PAGE_OUTBOX_FAILURE');
});
