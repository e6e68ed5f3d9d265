import type { OwnedTask } from '../database/outbox.ts';
import type { Alerting } from '../merchant/alerting.ts';
import type { Ownership } from './ownership.ts';

/** Pages about a task that failed for good. The payload holds ids and codes only, and the alert takes those by name. */
export async function pageFailure(
  { alerting }: { readonly alerting: Alerting },
  { dedupeKey, payload }: Pick<OwnedTask, 'dedupeKey' | 'payload'>,
  { signal }: Pick<Ownership, 'signal'>,
): Promise<void> {
  const { failedTaskId = null, failedTask = null, errorName = null, errorCode = null } = payload;
  const context = { failedTaskId, failedTask, errorName, errorCode };
  await alerting.openOrUpdate({ dedupeKey, title: 'A task failed for good', context }, { signal });
}
