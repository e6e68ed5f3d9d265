import type { Sql } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import type { NewWebhookEvent } from '../database/webhook-events.ts';
import { decideEvent } from '../decisions/decide-event.ts';
import type { ClinkEvent } from '../decisions/event.ts';
import { applyDecision, decidingAgainAfterRace } from './apply-decision.ts';
import { loadEventFacts } from './load-event-facts.ts';

export interface EventFlow {
  readonly sql: Sql;
  /** A hint to the claimer that there is work; it never throws. */
  readonly wakeUp: (delayMs?: number) => Promise<void>;
}

export interface SignedBody {
  readonly text: string;
  /** SHA-256 of the body's bytes, hex. */
  readonly hash: string;
}

export type Received = 'stored' | 'duplicate' | 'duplicate_with_other_body';

/**
 * Stores a verified event and everything it means in one transaction: the event, the state it moves, the tasks it
 * queues. When this returns, Clink may forget the event. A second delivery of an id changes nothing.
 */
export async function receiveEvent({ sql, wakeUp }: EventFlow, event: ClinkEvent, body: SignedBody): Promise<Received> {
  const { received, queuedWork } = await decidingAgainAfterRace(() =>
    inTransaction(sql, async (tx) => {
      const facts = await loadEventFacts(tx, event);
      if (facts.storedBodyHash !== null) return { result: again(facts.storedBodyHash === body.hash), writes: [] };
      const decision = decideEvent(event, facts);
      const { writes, queuedWork } = applyDecision(tx, decision, {
        ...facts,
        eventId: event.id,
        source: 'webhook',
        newEvent: newEvent(event, body),
      });
      return { result: { received: 'stored' as Received, queuedWork }, writes };
    }),
  );
  if (await queuedWork()) await wakeUp();
  return received;
}

function again(isSame: boolean) {
  const received: Received = isSame ? 'duplicate' : 'duplicate_with_other_body';
  return { received, queuedWork: async () => false };
}

function newEvent(event: ClinkEvent, body: SignedBody): NewWebhookEvent {
  return {
    id: event.id,
    type: event.type,
    payload: body.text,
    bodyHash: body.hash,
    merchantOrderRef: 'merchantOrderId' in event ? event.merchantOrderId : null,
    clinkOrderRef: 'clinkOrderId' in event ? event.clinkOrderId : null,
    clinkSessionRef: 'clinkSessionId' in event ? event.clinkSessionId : null,
  };
}
