/**
 * An id as a caller may send it: one that PostgreSQL can hold (no control characters, no half surrogate pair), and not
 * blank, which others take for none.
 */
export function isIdentifier(text: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(text) && text.trim() !== '';
}
