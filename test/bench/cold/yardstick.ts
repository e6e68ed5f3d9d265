import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { ROOT } from '../../../lib/bundle.ts';

/** Addresses of what the functions are compared with: the driver alone, and the driver with one query. */
export interface Yardsticks {
  readonly imported: string;
  readonly queried: string;
}

/** Bundled as anyone would, so that what makes our own bundles quicker does not make the measure shorter too. */
export function bundleYardsticks(folder: string): Yardsticks {
  const bundle = (name: string, contents: string): string => {
    const outfile = join(folder, `${name}.mjs`);
    const stdin = { contents: `import postgres from 'postgres';\n${contents}`, resolveDir: ROOT };
    buildSync({ stdin, outfile, bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node24' });
    return pathToFileURL(outfile).href;
  };
  return {
    imported: bundle('imported', 'globalThis.postgres = postgres;'),
    queried: bundle('queried', 'await postgres(process.env.DATABASE_URL, { max: 1 })`SELECT 1`;'),
  };
}
