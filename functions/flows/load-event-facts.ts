import type { Transaction } from '../database/connection.ts';
import { lockAttemptAndOrder, lockOrder, lockOrderOfRefund } from '../database/merchant-orders.ts';
import { readOrderEventFacts } from '../database/order-event-facts.ts';
import { findAttempt, listSiblingAttempts, lockAttempt } from '../database/payment-attempts.ts';
import { findRefund, listRefundsOfAttemptOwner } from '../database/refunds.ts';
import { findBodyHash } from '../database/webhook-events.ts';
import type { EventFacts } from '../decisions/decide-event.ts';
import type { ClinkEvent } from '../decisions/event.ts';

/** What an event is decided from, and what else is known of it by then. */
export interface LoadedFacts extends EventFacts {
  /** Of the event itself, if it has been here before. */
  readonly storedBodyHash: string | null;
  /** Whether another event waits for something about the same order; left out where nobody has looked. */
  readonly isAwaited?: boolean;
}

/**
 * Reads what an event is decided from, behind two locks: first that of the attempt, so that a refund and the first sight of
 * its attempt are decided one after the other, then the order's row. All is sent at once, and each statement sees what was
 * committed when its turn came, so that nothing here is older than the locks.
 */
export async function loadEventFacts(tx: Transaction, event: ClinkEvent): Promise<LoadedFacts> {
  switch (event.kind) {
    case 'order': {
      const [order, { attempts: found, ...known }] = await Promise.all([
        event.clinkOrderId === null
          ? lockOrder(tx, event.merchantOrderId)
          : lockAttemptAndOrder(tx, event.clinkOrderId, event.merchantOrderId),
        readOrderEventFacts(tx, event),
      ]);
      const attempts = found.filter(({ merchantOrderId }) => merchantOrderId === event.merchantOrderId);
      const storedAttempt = found.find(({ clinkOrderId }) => clinkOrderId === event.clinkOrderId) ?? null;
      return { ...NOTHING, ...known, order, attempts, storedAttempt };
    }
    case 'session': {
      const [order, storedBodyHash] = await Promise.all([
        lockOrder(tx, event.merchantOrderId),
        findBodyHash(tx, event.id),
      ]);
      return { ...NOTHING, order, storedBodyHash };
    }
    case 'refund': {
      const [, order, attempts, storedAttempt, storedRefund, refunds, storedBodyHash] = await Promise.all([
        lockAttempt(tx, event.clinkOrderId),
        lockOrderOfRefund(tx, event.clinkOrderId, event.refundId),
        listSiblingAttempts(tx, event.clinkOrderId),
        findAttempt(tx, event.clinkOrderId),
        findRefund(tx, event.refundId),
        listRefundsOfAttemptOwner(tx, event.clinkOrderId),
        findBodyHash(tx, event.id),
      ]);
      return { order, attempts, storedAttempt, storedRefund, refunds, storedBodyHash };
    }
    case 'other':
      return { ...NOTHING, storedBodyHash: await findBodyHash(tx, event.id) };
  }
}

const NOTHING = { order: null, attempts: [], storedAttempt: null, storedRefund: null, refunds: [] };
