import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The project's own source as text, for the rules that no compiler knows. */

export const ROOT = join(import.meta.dirname, '../..');

export interface SourceFile {
  /** From the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The text without its comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly kind: 'value' | 'type' | 'dynamic';
  /** What is written in the import: a package, or a path. */
  readonly specifier: string;
  /** The file that a relative import names, from the project's root; null for a package. */
  readonly target: string | null;
}

/** Every TypeScript file below these folders. A folder that is not there has none. */
export function sourcesIn(...folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap(pathsIn)
    .filter((path) => path.endsWith('.ts'))
    .map(read);
}

/** Paths of all files below a folder, from the project's root. */
export function pathsIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(ROOT.length + 1), entry.name))
    .sort();
}

/** The folder below `functions/` that a path is in, such as `flows`. */
export function hopOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function read(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  return { path, text, code, imports: importsOf(path, code) };
}

const STATEMENT = /^(import|export) (type )?(?:[^'"`;]*? from )?'([^']+)';/gm;
const CALL = /\bimport\(\s*'([^']+)'/g;

function importsOf(path: string, code: string): Import[] {
  const written = code.matchAll(STATEMENT).map(([, , type, specifier = '']) => ({ type, specifier }));
  const called = code.matchAll(CALL).map(([, specifier = '']) => specifier);
  return [
    ...written.map(({ type, specifier }) => importOf(path, specifier, type ? 'type' : 'value')),
    ...called.map((specifier) => importOf(path, specifier, 'dynamic')),
  ];
}

function importOf(path: string, specifier: string, kind: Import['kind']): Import {
  const isRelative = specifier.startsWith('.');
  return { kind, specifier, target: isRelative ? posix.join(posix.dirname(path), specifier) : null };
}
