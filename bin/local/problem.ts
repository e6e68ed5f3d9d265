/** Something that the person at the keyboard can put right; the message says what is wrong and what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

/** Says `sentence` in place of whatever `work` fails with, and keeps that as the cause. */
export async function orProblem<T>(work: Promise<T>, sentence: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Problem(sentence, { cause: error });
  }
}

/** One line for the terminal. A cause is told by its code alone: its text may hold an address with a password. */
export function inOneLine(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { code?: unknown; name?: unknown } };
  const detail = cause === undefined ? '' : ` (${String(cause.code ?? cause.name ?? 'unknown cause')})`;
  return `${String(message ?? error).replaceAll(/\s*\n\s*/g, ' / ')}${detail}`;
}
