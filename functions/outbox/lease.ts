import type { Sql } from '../database/connection.ts';
import { type OwnedTask, renewLease } from '../database/outbox.ts';
import { describeError, log } from '../platform/log.ts';
import { logged } from './logged.ts';
import type { Timers } from './timers.ts';

/** The task is not ours any more, or we cannot tell: whatever was to be done next is another worker's to do. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLost';
}

export interface Lease {
  readonly claimToken: string;
  /** Aborts when the lease is lost or the deadline passes. */
  readonly signal: AbortSignal;
  readonly isLost: boolean;
  /** Renews now. Throws `LeaseLostError`, or the deadline's reason; to be asked before each further side effect. */
  ensureOwned(): Promise<void>;
  /** Ends the heartbeat, and with it a renewal that is under way. */
  stop(): Promise<void>;
}

export interface LeaseDeps {
  readonly sql: Sql;
  readonly leaseMs: number;
  readonly timers: Timers;
}

/** Keeps a task's lease alive by a heartbeat every third of it. An unanswered renewal counts as a lost lease. */
export function startLease({ sql, leaseMs, timers }: LeaseDeps, owned: OwnedTask, deadline: AbortSignal): Lease {
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, deadline]);
  let stopped = false;
  let renewal: Promise<void> = Promise.resolve();

  function lose(error: unknown): void {
    lost.abort(new LeaseLostError('the lease of this task is lost'));
    log.warn('lease_lost', { ...logged(owned), ...(error ? describeError(error) : {}) });
  }

  async function renewOnce(): Promise<void> {
    if (stopped || lost.signal.aborted) return;
    try {
      if (!(await renewLease(sql, owned, leaseMs))) lose(null);
    } catch (error) {
      lose(error);
    }
  }

  /** One at a time, so that two answers cannot overtake each other. */
  function renew(): Promise<void> {
    renewal = renewal.then(renewOnce);
    return renewal;
  }

  const cancel = timers.every(Math.floor(leaseMs / 3), () => void renew());
  return {
    claimToken: owned.claimToken,
    signal,
    get isLost() {
      return lost.signal.aborted;
    },
    async ensureOwned() {
      signal.throwIfAborted();
      await renew();
      signal.throwIfAborted();
    },
    async stop() {
      stopped = true;
      cancel();
      await renewal;
    },
  };
}
