import type { JsonObject } from '../../../functions/clink/json.ts';

/** A field's text, or undefined when it is absent, blank or no text. */
export function textOf(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
