import type { BundleSize, Entry } from '../../lib/bundle-sizes.ts';

/**
 * The most KiB of JavaScript that each function may have: what a cold start reads, and all of it with what is loaded on
 * demand (the AWS SDK). About a sixth above what it was when this was written; `npm run bundles` shows what it is now.
 */
export const BUDGETS: Readonly<Record<Entry, BundleSize>> = {
  'http/create-checkout': { atStart: 67, total: 641 },
  'http/get-order': { atStart: 72, total: 530 },
  'http/clink-webhook': { atStart: 64, total: 648 },
  'outbox/claim-due': { atStart: 76, total: 582 },
  'workers/fulfill': { atStart: 94, total: 600 },
  'workers/apply-refund-policy': { atStart: 95, total: 600 },
  'workers/manual-reconciliation': { atStart: 94, total: 600 },
  'workers/page-outbox-failure': { atStart: 93, total: 598 },
  'workers/reprocess-webhook': { atStart: 139, total: 645 },
  'workers/reconcile-attempt': { atStart: 137, total: 642 },
  'workers/reconcile-session': { atStart: 134, total: 639 },
  'workers/refund-reconcile': { atStart: 135, total: 640 },
  'database/migrate': { atStart: 63, total: 522 },
  'operations/operate': { atStart: 77, total: 535 },
};
