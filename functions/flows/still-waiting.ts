import type { ReasonCode } from '../decisions/decision.ts';

/** What a task needs has not appeared yet: not a fault, but a reason to come back later. `code` is the decision's reason. */
export class StillWaitingError extends Error {
  override readonly name = 'StillWaiting';
  readonly code: ReasonCode;

  constructor(code: ReasonCode) {
    super(`still waiting: ${code}`);
    this.code = code;
  }
}
