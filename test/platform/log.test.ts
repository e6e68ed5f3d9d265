import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { describeError } from '../../functions/platform/log.ts';

// The logger reads its level once, when the module is loaded.
beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllEnvs());

function printedLines() {
  const streams = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  const calls = () => streams.flatMap((write) => write.mock.calls);
  return () => calls().map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
}

describe('log', () => {
  test('writes one JSON line with the code and the fields', async () => {
    vi.stubEnv('LOG_LEVEL', 'INFO');
    const lines = printedLines();
    const { log } = await import('../../functions/platform/log.ts');
    log.warn('webhook_rejected', { reason: 'mismatch', ageMs: 12, eventId: undefined });
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'WARN', message: 'webhook_rejected', reason: 'mismatch', ageMs: 12 }),
    ]);
  });

  test('is silent below the level', async () => {
    vi.stubEnv('LOG_LEVEL', 'ERROR');
    const lines = printedLines();
    const { log } = await import('../../functions/platform/log.ts');
    log.info('task_finished');
    log.warn('task_finished');
    expect(lines()).toEqual([]);
  });
});

describe('describeError', () => {
  test('keeps name, code and status, and never the message', () => {
    const error = Object.assign(new TypeError('key sk_test_1 refused'), { code: '23505', status: 500 });
    expect(describeError(error)).toEqual({ errorName: 'TypeError', errorCode: '23505', errorStatus: 500 });
  });

  test('finds the system code that fetch keeps on the cause', () => {
    const cause = Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' });
    expect(describeError(new TypeError('fetch failed', { cause })).errorCode).toBe('ECONNREFUSED');
  });

  test.each([
    ['a code with text in it', { name: 'Error', code: 'mail a@example.test failed' }],
    ['a long code', { name: 'Error', code: 'x'.repeat(65) }],
    ['a code that is an object', { name: 'Error', code: ['secret'] }],
  ])('drops %s', (_what, error) => {
    expect(describeError(error)).toEqual({ errorName: 'Error', errorCode: null });
  });

  test.each([undefined, null, 'text', 7])('describes what is no error at all (%j)', (thrown) => {
    expect(describeError(thrown)).toEqual({ errorName: 'UnknownError', errorCode: null });
  });
});
