import { type BuildResult, buildSync } from 'esbuild';
import { bundleOptions } from './bundle.ts';

/** Entries of all functions, as paths under functions/ without `.lambda.ts`. */
export const ENTRIES = [
  'http/create-checkout',
  'http/get-order',
  'http/clink-webhook',
  'outbox/claim-due',
  'workers/fulfill',
  'workers/apply-refund-policy',
  'workers/manual-reconciliation',
  'workers/page-outbox-failure',
  'workers/reprocess-webhook',
  'workers/reconcile-attempt',
  'workers/reconcile-session',
  'workers/refund-reconcile',
  'database/migrate',
  'operations/operate',
] as const;

export type Entry = (typeof ENTRIES)[number];

/** Bytes of JavaScript, without source maps. */
export interface BundleSize {
  /** What every cold start reads: the entry and what it imports statically. */
  readonly atStart: number;
  readonly total: number;
}

/** Bundles a function into a folder as a deployment does, and measures what came out. */
export function measureBundle(entry: Entry, outdir: string): BundleSize {
  const { outputs } = (
    buildSync({ ...bundleOptions(entry, outdir), metafile: true }) as BuildResult<{ metafile: true }>
  ).metafile;
  const scripts = Object.entries(outputs).filter(([path]) => path.endsWith('js'));
  const first = scripts.find(([, { entryPoint }]) => entryPoint === `functions/${entry}.lambda.ts`)?.[0];
  const read = new Set(first === undefined ? [] : [first]);
  for (const path of read) {
    const imports = outputs[path]?.imports ?? [];
    for (const { kind, external, path: imported } of imports) {
      if (kind === 'import-statement' && !external) read.add(imported);
    }
  }
  const bytes = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
  return { atStart: bytes(read), total: bytes(scripts.map(([path]) => path)) };
}
