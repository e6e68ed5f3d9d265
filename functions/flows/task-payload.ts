import type { OwnedTask } from '../database/outbox.ts';
import { TaskFailedError } from './task-failed.ts';

/** A text that the task cannot do without. Throws a permanent `TaskFailedError`: a payload never changes. */
export function requiredText(task: Pick<OwnedTask, 'payload'>, field: string): string {
  return present(task.payload[field]);
}

export function requiredOrderId(task: Pick<OwnedTask, 'merchantOrderId'>): string {
  return present(task.merchantOrderId);
}

export function requiredClinkOrderId(task: Pick<OwnedTask, 'clinkOrderId'>): string {
  return present(task.clinkOrderId);
}

function present(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TaskFailedError('payload_incomplete', { permanent: true });
}
