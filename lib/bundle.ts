import { join } from 'node:path';
import { AssetHashType, type BundlingOptions, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

export const ROOT = join(import.meta.dirname, '..');

/**
 * A module of Node's for those who use a part of it. An `import` reads all its exports, and among those are some that load
 * more: of `http` all of fetch, of `fs` its promises.
 */
const inPart = (name: string) => `data:text/javascript,module.exports = process.getBuiltinModule("node:${name}")`;

/** How every function is bundled; `test:bundles` measures what this makes. `entry` is a path under functions/, without its ending. */
export function bundleOptions(entry: string, outdir: string): BuildOptions & { outdir: string } {
  return {
    absWorkingDir: ROOT,
    entryPoints: { index: `functions/${entry}.lambda.ts` },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported on demand stays a file of its own, and is not read by a cold start that does not need it.
    splitting: true,
    alias: {
      http: inPart('http'),
      'node:http': inPart('http'),
      fs: inPart('fs'),
      // Else the name before the slash would be replaced alone.
      'fs/promises': inPart('fs/promises'),
    },
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  };
}

/** The bundle of one `*.lambda.ts`, made by esbuild on this machine; `extraFiles` are copied beside it. */
export function bundle(entry: string, copyInto: (folder: string) => void = () => undefined): Code {
  const bundling: BundlingOptions = {
    // Never pulled: bundling happens in `local`, and a failure there is an error and not a reason to try Docker.
    image: DockerImage.fromRegistry('local-bundling-only'),
    // The CDK makes one asset of all bundlings that look alike, and does not see into `local`.
    command: [entry],
    local: {
      tryBundle(outdir) {
        buildSync(bundleOptions(entry, outdir));
        copyInto(outdir);
        return true;
      },
    },
  };
  return Code.fromAsset(join(ROOT, 'functions'), { assetHashType: AssetHashType.OUTPUT, bundling });
}
