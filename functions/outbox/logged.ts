import type { OwnedTask } from '../database/outbox.ts';
import { type LogFields, loggable } from '../platform/log.ts';

/** What every line about a task carries: its row, and the event that it came from, which leads back to the webhook's line. */
export function logged({ id, task, eventId }: Pick<OwnedTask, 'id' | 'task' | 'eventId'>): LogFields {
  return { taskId: id, task, eventId: loggable(eventId) };
}
