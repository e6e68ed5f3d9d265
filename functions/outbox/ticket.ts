/** What travels through a task's queue: ids only. Whoever takes the row over first exchanges the token for its own. */
export interface TicketMessage {
  readonly taskId: number;
  readonly claimToken: string;
}

export function writeTicket({ taskId, claimToken }: TicketMessage): string {
  return JSON.stringify({ taskId, claimToken });
}

/** Null when the text is not a ticket. */
export function readTicket(text: string): TicketMessage | null {
  const { taskId, claimToken } = Object(parse(text)) as { taskId?: unknown; claimToken?: unknown };
  if (typeof taskId !== 'number' || !Number.isSafeInteger(taskId)) return null;
  return typeof claimToken === 'string' && claimToken !== '' ? { taskId, claimToken } : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
