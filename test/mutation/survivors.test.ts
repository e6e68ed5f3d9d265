import { expect, test } from 'vitest';
import { compareWithList, describeMutant, readList } from './survivors.ts';

const EXPLAINED = "functions/outbox/run-task.ts | throw new Error('why'); | 'why' => \"\"";
const LIST = `Nothing reads it.\n\n    ${EXPLAINED}\n\nAn entry stands in a block of its own:\nfunctions/outbox/lease.ts | a | b => c\n`;

test('a survivor that the list does not explain is told, and so is an explanation that nothing needs', () => {
  const list = readList(LIST);
  expect(compareWithList([EXPLAINED], list)).toEqual({ unexplained: [], unneeded: [] });
  expect(compareWithList([EXPLAINED], [])).toEqual({ unexplained: [EXPLAINED], unneeded: [] });
  expect(compareWithList([], list)).toEqual({ unexplained: [], unneeded: [EXPLAINED] });
  const elsewhere = EXPLAINED.replace('why', 'that');
  expect(compareWithList([elsewhere], list).unexplained).toEqual([elsewhere]);
});

test('a mutant is named by its file and its text, on one line', async () => {
  const [start, end] = [
    { line: 1, column: 1 },
    { line: 2, column: 16 },
  ];
  const mutant = { fileName: '/a/copy/functions/outbox/backoff.ts', status: 'Survived', location: { start, end } };
  expect(await describeMutant({ ...mutant, replacement: '{\n}' })).toBe(
    'functions/outbox/backoff.ts | export interface BackoffSettings { | export interface BackoffSettings { readonly base => { }',
  );
});
