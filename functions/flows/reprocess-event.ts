import { readEvent } from '../clink/wire.ts';
import { inTransaction } from '../database/transaction.ts';
import { findPendingPayload, lockPendingEvent } from '../database/webhook-events.ts';
import { decideEvent } from '../decisions/decide-event.ts';
import { applyDecision, decidingAgainAfterRace } from './apply-decision.ts';
import { loadEventFacts } from './load-event-facts.ts';
import type { EventFlow } from './receive-event.ts';
import { StillWaitingError } from './still-waiting.ts';

/**
 * Decides a deferred event again from its stored body. Throws `StillWaitingError` after committing when what it waits for
 * is still not there, so that the task comes back later; does nothing when the event has been settled meanwhile.
 */
export async function reprocessEvent({ sql, wakeUp }: EventFlow, eventId: string, signal: AbortSignal): Promise<void> {
  const payload = await findPendingPayload(sql, eventId);
  if (payload === null) return;
  const event = readEvent(payload);

  const result = await decidingAgainAfterRace(() =>
    inTransaction(sql, async (tx) => {
      // The event's row is locked behind the order's: whoever settles this event from an answer locks them in that order.
      const [facts, isPending] = await Promise.all([loadEventFacts(tx, event), lockPendingEvent(tx, eventId)]);
      signal.throwIfAborted();
      if (!isPending) return { result: null, writes: [] };
      const decision = decideEvent(event, facts);
      const { writes, queuedWork } = applyDecision(tx, decision, { ...facts, eventId, source: 'reprocess' });
      return { result: { decision, queuedWork }, writes };
    }),
  );
  if (!result) return;
  if (await result.queuedWork()) await wakeUp();
  if (result.decision.outcome === 'deferred') throw new StillWaitingError(result.decision.reason);
}
