/** A variable of the environment is missing or malformed. Names the variable, never its value: it may be a secret. */
export class SettingError extends Error {
  override readonly name = 'SettingError';

  constructor(variable: string, expected: string) {
    super(`${variable} must be ${expected}`);
  }
}

/** The text of an environment variable; blank counts as missing. */
export function text(variable: string): string {
  const value = process.env[variable] ?? '';
  if (value.trim() === '') throw new SettingError(variable, 'set to a text that is not blank');
  return value;
}

/** A duration in whole milliseconds, greater than zero; `fallback` when the variable is not set. */
export function milliseconds(variable: string, fallback: number): number {
  return positiveInteger(variable, fallback, 'a whole number of milliseconds, at least 1');
}

/** A count of at least one; `fallback` when the variable is not set. */
export function count(variable: string, fallback: number): number {
  return positiveInteger(variable, fallback, 'a whole number, at least 1');
}

function positiveInteger(variable: string, fallback: number, expected: string): number {
  const value = process.env[variable];
  if (value === undefined) return fallback;
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new SettingError(variable, expected);
  return Number(value);
}
