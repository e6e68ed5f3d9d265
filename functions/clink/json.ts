/**
 * JSON with exact numbers: a number is kept as the text it was written as, because an amount that has been a binary float
 * once cannot be trusted any more.
 */

// Both are standard and in Node 24; TypeScript's library does not declare them yet.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Called by `JSON.stringify`: writes the number back as it was read. */
  toJSON(): object {
    return JSON.rawJSON(this.source);
  }
}

export type JsonObject = { readonly [key: string]: unknown };

/** Parses JSON text; every number in it becomes a `JsonNumber`. Throws SyntaxError, or RangeError when nested too deep. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' ? new JsonNumber(context.source ?? String(value)) : value,
  );
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
