import type { CallOptions, SignedCall } from './signed-call.ts';

/** A conflict that a person has to settle, with allow-listed evidence. */
export interface DeskCase {
  readonly caseKey: string;
  readonly merchantOrderId: string;
  readonly clinkOrderId: string | null;
  readonly refundId: string | null;
  readonly eventId: string;
  readonly reason: string;
  readonly evidence: object;
}

export interface ReconciliationDesk {
  /** Opens the case, or finds it open. Its idempotency key is the case key: one conflict is one case. */
  openOrUpdate(deskCase: DeskCase, options: CallOptions): Promise<void>;
}

/** Cases at the merchant's own endpoint, `POST /cases`. */
export function deskByCall(call: SignedCall): ReconciliationDesk {
  return { openOrUpdate: (deskCase, options) => call('/cases', 'case.opened', deskCase, options) };
}
