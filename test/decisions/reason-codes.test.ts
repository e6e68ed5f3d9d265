import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = readFileSync(join(import.meta.dirname, '../../functions/decisions/decision.ts'), 'utf8');
const unions = [...source.matchAll(/export type (?:ReasonCode|ReviewReason) =([^;]+);/g)].map(
  ([, union = '']) => union,
);
const codes = unions.flatMap((union) => [...union.matchAll(/'([a-z_]+)'/g)].map(([, code = '']) => code));

const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
const tested = tests.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');

describe('reason codes', () => {
  it('are found in the source, each once', () => {
    expect(unions).toHaveLength(2);
    expect(codes.length).toBeGreaterThan(50);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('are each expected by a test of a decider', () => {
    expect(codes.filter((code) => !tested.includes(`'${code}'`))).toEqual([]);
  });
});
