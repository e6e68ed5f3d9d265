import type { Sql } from '../database/connection.ts';
import type { OwnedTask } from '../database/outbox.ts';
import { findCase, markCaseOpen, type ReconciliationCase } from '../database/reconciliation-cases.ts';
import type { Alert, Alerting } from '../merchant/alerting.ts';
import type { ReconciliationDesk } from '../merchant/reconciliation-desk.ts';
import type { Ownership } from './ownership.ts';
import { TaskFailedError } from './task-failed.ts';
import { requiredText } from './task-payload.ts';

export interface ReconciliationCaseFlow {
  readonly sql: Sql;
  readonly desk: ReconciliationDesk;
  readonly alerting: Alerting;
}

/** Brings a stored conflict before a person: a case at the desk, then an alert that points to it, each once per case key. */
export async function openReconciliationCase(
  { sql, desk, alerting }: ReconciliationCaseFlow,
  task: Pick<OwnedTask, 'payload'>,
  lease: Ownership,
): Promise<void> {
  const caseKey = requiredText(task, 'caseKey');
  const found = await findCase(sql, caseKey);
  if (!found) throw new TaskFailedError('case_missing', { permanent: false });

  await desk.openOrUpdate(found, { idempotencyKey: caseKey, signal: lease.signal });
  await lease.ensureOwned();
  await alerting.openOrUpdate(alertFor(found), { signal: lease.signal });
  await lease.ensureOwned();
  await markCaseOpen(sql, caseKey);
}

/** The evidence stays at the desk; an alert only leads there. */
function alertFor({ evidence: _, ...context }: ReconciliationCase): Alert {
  return { dedupeKey: context.caseKey, title: 'Payment data needs a person', context };
}
