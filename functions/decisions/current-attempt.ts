import type { Draft } from './draft.ts';

/**
 * Lets `order.created` move the pointer to the current attempt. Creation times may only infer it while they are distinct:
 * a tie, or a newcomer that Clink's last session answer cannot have covered, takes the confirmation away.
 */
export function advanceCurrentAttempt(
  draft: Draft,
  clinkOrderId: string,
  createdAt: number,
  isNewAttempt: boolean,
): void {
  const current = draft.attempt(draft.order.currentClinkOrderId);
  if (!current) {
    draft.patchOrder({ currentClinkOrderId: clinkOrderId, currentAttemptConfirmed: false });
    return;
  }
  const isOther = current.clinkOrderId !== clinkOrderId;
  // The session answer already knew this attempt: its creation event came late and says nothing newer.
  if (draft.order.currentAttemptConfirmed && isOther && !isNewAttempt) return;

  if (isOther && (current.attemptCreatedAt === null || createdAt > current.attemptCreatedAt)) {
    draft.patchOrder({ currentClinkOrderId: clinkOrderId, currentAttemptConfirmed: false });
  } else if (isOther && createdAt === current.attemptCreatedAt && draft.order.currentAttemptConfirmed) {
    draft.patchOrder({ currentAttemptConfirmed: false });
  }
}
