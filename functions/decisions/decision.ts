import type { MerchantOrder, PaymentAttempt, PaymentStatus, Refund } from './order.ts';

export type Outcome = 'done' | 'deferred' | 'manual_review';

/** Why a decision came out as it did; stored in `order_journal`, so it is stable once released. */
export type ReasonCode =
  // done
  | 'event_type_not_handled'
  | 'recurring_order_not_ours'
  | 'attempt_inserted'
  | 'attempt_advanced'
  | 'attempt_time_filled'
  | 'attempt_event_repeated'
  | 'attempt_event_outdated'
  | 'attempt_already_final'
  | 'session_advanced'
  | 'session_event_repeated'
  | 'session_event_outdated'
  | 'refund_booked'
  | 'refund_repeated'
  | 'attempt_confirmed_by_order'
  | 'current_attempt_confirmed_by_session'
  | 'refund_status_settled'
  // deferred
  | 'reference_missing'
  | 'order_unknown'
  | 'session_not_saved_yet'
  | 'attempt_order_ambiguous'
  | 'attempt_status_tie'
  | 'success_contradicts_status'
  | 'attempt_missing'
  | 'refund_basis_missing'
  | 'local_state_moved'
  | 'order_not_settled'
  | 'session_without_current_attempt'
  | 'session_attempt_missing'
  | 'refund_status_behind'
  // manual_review
  | ReviewReason;

export type ReviewReason =
  | 'order_event_missing_required_identifier'
  | 'order_event_session_mismatch'
  | 'payment_attempt_ownership_conflict'
  | 'invalid_refund_payment_basis'
  | 'refund_payment_basis_conflict'
  | 'session_event_missing_required_identifier'
  | 'session_event_ownership_conflict'
  | 'session_event_invalid_created'
  | 'session_event_status_mismatch'
  | 'session_terminal_same_version_conflict'
  | 'invalid_refund_record'
  | 'refund_id_immutable_fields_conflict'
  | 'refund_id_reused_with_missing_attempt'
  | 'refund_order_or_currency_conflict'
  | 'stored_successful_refund_conflict'
  | 'refund_total_exceeds_payment_basis'
  | 'order_query_ownership_conflict'
  | 'order_query_contradicts_success'
  | 'refunded_before_fulfillment'
  | 'session_response_ownership_conflict'
  | 'session_order_ownership_conflict'
  | 'refund_order_query_ownership_conflict'
  | 'refund_reconciliation_order_conflict';

/** Side effects that a decision can ask for; the task names are those of the outbox. */
export type TaskName =
  | 'fulfill'
  | 'refund_reconcile'
  | 'reprocess_webhook'
  | 'reconcile_attempt'
  | 'reconcile_session'
  | 'apply_refund_policy'
  | 'manual_reconciliation'
  | 'page_outbox_failure';

export type Payload = Readonly<Record<string, string | number | null>>;

export interface NewTask {
  readonly task: TaskName;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly payload: Payload;
  /** One row per piece of work: a second task with this key is the same work. */
  readonly dedupeKey: string;
}

export type Evidence = { readonly [key: string]: string | number | boolean | null | readonly string[] | Evidence };

/** A conflict that no retry can settle, with the allow-listed facts a person needs. */
export interface Review {
  readonly dedupeKey: string;
  readonly merchantOrderId: string;
  readonly clinkOrderId: string | null;
  readonly refundId: string | null;
  readonly reason: ReviewReason;
  readonly evidence: Evidence;
}

export type OrderPatch = Partial<Omit<MerchantOrder, 'id' | 'clinkSessionId'>>;
export type AttemptPatch = Partial<
  Pick<PaymentAttempt, 'status' | 'attemptCreatedAt' | 'lastEventCreated' | 'failureCode' | 'failureMessage'>
>;

/** Everything that one event or answer changes; `flows/apply-decision.ts` writes it in one transaction. */
export interface Decision {
  readonly outcome: Outcome;
  readonly reason: ReasonCode;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly newAttempt: PaymentAttempt | null;
  readonly attemptPatch: { readonly clinkOrderId: string; readonly patch: AttemptPatch } | null;
  readonly newRefund: Refund | null;
  readonly orderPatch: OrderPatch;
  readonly tasks: readonly NewTask[];
  readonly review: Review | null;
  readonly paymentStatusBefore: PaymentStatus | null;
  readonly paymentStatusAfter: PaymentStatus | null;
}
