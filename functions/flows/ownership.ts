/** The right to work on a task, as far as the flow that does the work sees it. */
export interface Ownership {
  /** This run's own; no other run of any task has it. */
  readonly claimToken: string;
  /** Aborts when the right is lost or the time is up. */
  readonly signal: AbortSignal;
  /** Throws when the right is lost. Asked between two side effects. */
  ensureOwned(): Promise<void>;
}
