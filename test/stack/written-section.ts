import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Holds the part of a document between `<!-- name -->` and `<!-- /name -->` equal to what is generated. With UPDATE=1 in
 * the environment it is written instead.
 */
export function expectWritten(file: string, name: string, generated: string): void {
  const path = join(ROOT, file);
  const document = readFileSync(path, 'utf8');
  const [before, rest] = document.split(`<!-- ${name} -->\n`);
  const [written, after] = (rest ?? '').split(`<!-- /${name} -->`);
  expect(after, `${file} has no section ${name}`).toBeDefined();
  if (process.env.UPDATE) {
    writeFileSync(path, `${before}<!-- ${name} -->\n${generated}<!-- /${name} -->${after}`);
    return;
  }
  expect(written).toBe(generated);
}

/** A Markdown table. Bars in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
