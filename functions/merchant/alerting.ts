import type { SignedCall } from './signed-call.ts';

export interface Alert {
  /** One problem is one alert; also the call's idempotency key. */
  readonly dedupeKey: string;
  readonly title: string;
  /** Ids and codes that lead to the problem. */
  readonly context: Readonly<Record<string, string | number | null>>;
}

export interface Alerting {
  openOrUpdate(alert: Alert, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Alerts at the merchant's own endpoint, `POST /alerts`. */
export function alertingByCall(call: SignedCall): Alerting {
  return {
    openOrUpdate: (alert, { signal }) =>
      call('/alerts', 'alert.opened', alert, { idempotencyKey: alert.dedupeKey, signal }),
  };
}
