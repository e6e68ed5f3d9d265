import { afterEach, describe, expect, test, vi } from 'vitest';

import { count, milliseconds, SettingError, text } from '../../functions/platform/settings.ts';

afterEach(() => vi.unstubAllEnvs());

describe('settings', () => {
  test('reads a text as it is', () => {
    vi.stubEnv('SOME_SETTING', ' value ');
    expect(text('SOME_SETTING')).toBe(' value ');
  });

  test.each([undefined, '', '  '])('a missing or blank text names its variable (%j)', (value) => {
    vi.stubEnv('SOME_SETTING', value);
    expect(() => text('SOME_SETTING')).toThrow('SOME_SETTING must be set');
  });

  test('numbers fall back only when they are not set', () => {
    vi.stubEnv('SOME_SETTING', undefined);
    expect(milliseconds('SOME_SETTING', 300_000)).toBe(300_000);
    vi.stubEnv('SOME_SETTING', '25');
    expect(count('SOME_SETTING', 1)).toBe(25);
  });

  test.each(['', '0', '-1', '1.5', '1e3', '0x10', 'secret', ' 1', '9'.repeat(16)])(
    'a malformed number names its variable and not its value (%j)',
    (value) => {
      vi.stubEnv('SOME_SETTING', value);
      expect(() => milliseconds('SOME_SETTING', 1)).toThrow(
        new SettingError('SOME_SETTING', 'a whole number of milliseconds, at least 1'),
      );
    },
  );
});
