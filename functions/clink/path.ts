/**
 * One segment of a path at Clink, percent-encoded, or null for an id that could lead elsewhere: empty, a dot segment, or
 * with a slash, backslash or control character, also when a server between us decodes it once more.
 */
export function pathSegment(id: string): string | null {
  if (isUnsafe(id) || isUnsafe(decoded(id))) return null;
  return encodeURIComponent(id);
}

function isUnsafe(id: string): boolean {
  return id === '' || id === '.' || id === '..' || /[/\\\p{Cc}]/u.test(id) || !id.isWellFormed();
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
