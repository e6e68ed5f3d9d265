import { readFile } from 'node:fs/promises';
import type { Mutant } from './stryker.ts';

/** A mutant as the list names it: by file and text, not by line, so that code above it may move. */
export type Survivor = string;

/** `path | the line that it starts on | what stood there => what stands there now` */
export async function describeMutant({ fileName, location, replacement }: Mutant): Promise<Survivor> {
  const path = fileName.slice(fileName.indexOf('functions/'));
  const lines = (await readFile(path, 'utf8')).split('\n');
  const { start, end } = location;
  const within = lines.slice(start.line - 1, end.line);
  const original = within
    .map((line, i) => line.slice(i === 0 ? start.column - 1 : 0, i === within.length - 1 ? end.column - 1 : undefined))
    .join(' ');
  return [path, lines[start.line - 1] ?? '', `${original} => ${replacement ?? ''}`].map(onOneLine).join(' | ');
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The survivors that the list explains: each is a code block of one line under its explanation. */
export function readList(markdown: string): readonly Survivor[] {
  return [...markdown.matchAll(/^ {4}(functions\/.*)$/gm)].map(([, survivor = '']) => survivor.trim());
}

/** One explanation covers one mutant, or all those that cannot be told apart by their text. */
export function compareWithList(survivors: readonly Survivor[], list: readonly Survivor[]) {
  return {
    unexplained: survivors.filter((survivor) => !list.includes(survivor)),
    unneeded: list.filter((entry) => !survivors.includes(entry)),
  };
}
