import type { Transaction } from '../database/connection.ts';
import { lockOrder, lockOrderOfRefund } from '../database/merchant-orders.ts';
import { findAttempt, listAttemptsAndNamed, listSiblingAttempts } from '../database/payment-attempts.ts';
import { findRefund, listRefundsOfAttemptOwner } from '../database/refunds.ts';
import type { EventFacts } from '../decisions/decide-event.ts';
import type { ClinkEvent } from '../decisions/event.ts';

/** What an event is decided from, and what is of use when the decision is written. */
export interface LoadedFacts extends EventFacts {
  /** Whether another event waits for something about the same order; left out where nobody has looked. */
  readonly isAwaited?: boolean;
}

/**
 * Reads what an event is decided from. The order's row is locked first on every path; the rest is read behind the lock,
 * all sent at once. Each statement sees what was committed when its turn came, so nothing here is older than the lock.
 */
export async function loadEventFacts(tx: Transaction, event: ClinkEvent): Promise<LoadedFacts> {
  switch (event.kind) {
    case 'order': {
      const [order, { found, isAwaited }] = await Promise.all([
        lockOrder(tx, event.merchantOrderId),
        listAttemptsAndNamed(tx, event),
      ]);
      const attempts = found.filter(({ merchantOrderId }) => merchantOrderId === event.merchantOrderId);
      const storedAttempt = found.find(({ clinkOrderId }) => clinkOrderId === event.clinkOrderId) ?? null;
      return { ...NOTHING, order, attempts, storedAttempt, isAwaited };
    }
    case 'session':
      return { ...NOTHING, order: await lockOrder(tx, event.merchantOrderId) };
    case 'refund': {
      const [order, attempts, storedAttempt, storedRefund, refunds] = await Promise.all([
        lockOrderOfRefund(tx, event.clinkOrderId, event.refundId),
        listSiblingAttempts(tx, event.clinkOrderId),
        findAttempt(tx, event.clinkOrderId),
        findRefund(tx, event.refundId),
        listRefundsOfAttemptOwner(tx, event.clinkOrderId),
      ]);
      return { order, attempts, storedAttempt, storedRefund, refunds };
    }
    case 'other':
      return NOTHING;
  }
}

const NOTHING: LoadedFacts = { order: null, attempts: [], storedAttempt: null, storedRefund: null, refunds: [] };
