import { loggable } from '../platform/log.ts';

/** What travels through a task's queue: ids only. Whoever takes the row over first exchanges the token for its own. */
export interface TicketMessage {
  readonly taskId: number;
  readonly claimToken: string;
  /** The event that the task came from: one id from the webhook's log to the worker's. Nothing is decided by it. */
  readonly eventId: string | null;
}

export function writeTicket({ taskId, claimToken, eventId }: TicketMessage): string {
  return JSON.stringify({ taskId, claimToken, eventId });
}

/** Null when the text is not a ticket. */
export function readTicket(text: string): TicketMessage | null {
  const { taskId, claimToken, eventId } = Object(parse(text)) as Readonly<Record<keyof TicketMessage, unknown>>;
  if (typeof taskId !== 'number' || !Number.isSafeInteger(taskId)) return null;
  if (typeof claimToken !== 'string' || claimToken === '') return null;
  return { taskId, claimToken, eventId: loggable(eventId) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
