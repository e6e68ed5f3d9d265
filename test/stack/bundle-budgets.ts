import type { BundleSize, Entry } from '../../lib/bundle-sizes.ts';

/**
 * The most KiB of JavaScript that each function may have: what a cold start reads, and all of it with what is loaded on
 * demand (the AWS SDK). About a sixth above what it was when this was written; `npm run bundles` shows what it is now.
 */
export const BUDGETS: Readonly<Record<Entry, BundleSize>> = {
  'http/create-checkout': { atStart: 168, total: 662 },
  'http/get-order': { atStart: 107, total: 555 },
  'http/clink-webhook': { atStart: 175, total: 669 },
  'outbox/claim-due': { atStart: 110, total: 605 },
  'workers/fulfill': { atStart: 117, total: 612 },
  'workers/apply-refund-policy': { atStart: 117, total: 612 },
  'workers/manual-reconciliation': { atStart: 117, total: 612 },
  'workers/page-outbox-failure': { atStart: 115, total: 611 },
  'workers/reprocess-webhook': { atStart: 160, total: 655 },
  'workers/reconcile-attempt': { atStart: 157, total: 652 },
  'workers/reconcile-session': { atStart: 154, total: 650 },
  'workers/refund-reconcile': { atStart: 155, total: 651 },
  'database/migrate': { atStart: 87, total: 535 },
  'operations/operate': { atStart: 100, total: 547 },
};
