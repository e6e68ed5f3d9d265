export type TaskFailure =
  | 'order_missing'
  | 'order_not_paid'
  | 'case_missing'
  | 'refund_policy_busy'
  | 'payload_incomplete';

/** A task could not be done for a reason of our own; `code` is stored with the task. */
export class TaskFailedError extends Error {
  override readonly name = 'TaskFailed';
  readonly code: TaskFailure;
  /** Another try would find the same. */
  readonly permanent: boolean;

  constructor(code: TaskFailure, { permanent }: { readonly permanent: boolean }) {
    super(`task failed: ${code}`);
    this.code = code;
    this.permanent = permanent;
  }
}
