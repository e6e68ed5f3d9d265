import { isJsonObject, JsonNumber, type JsonObject, parseJson } from './json.ts';

/** Refusals that Clink names in its message; every other message stays outside. */
const SYMBOLIC_CODES: ReadonlySet<string> = new Set(['CUSTOMER_NOT_FOUND', 'CUSTOMER_IDENTIFIER_NOT_MATCHED']);

export type RefusalCode = number | string | null;

/** Clink answered with something other than success; `code` is a number, a name from our list, or null. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: RefusalCode;
}

/** Success is claimed, or nothing is, but what should come with it is not there. */
export interface Unreadable {
  readonly kind: 'unreadable';
}

export type Envelope = { readonly kind: 'data'; readonly data: JsonObject } | Refused | Unreadable;
export type ListEnvelope =
  | { readonly kind: 'rows'; readonly total: number | null; readonly rows: readonly JsonObject[] }
  | Refused
  | Unreadable;

/** Reads the answer of a call that returns one object: `{ code: 200, msg, data: { … } }`. */
export function readEnvelope(httpOk: boolean, text: string): Envelope {
  const answer = readSuccess(httpOk, text);
  if (answer.kind !== 'success') return answer;
  const { data } = answer.fields;
  return isJsonObject(data) ? { kind: 'data', data } : { kind: 'unreadable' };
}

/** Reads the answer of a list call, which has no `data`: `{ code: 200, msg, total, rows: [ … ] }`. */
export function readListEnvelope(httpOk: boolean, text: string): ListEnvelope {
  const answer = readSuccess(httpOk, text);
  if (answer.kind !== 'success') return answer;
  const { rows, total } = answer.fields;
  if (!Array.isArray(rows) || !rows.every(isJsonObject)) return { kind: 'unreadable' };
  return { kind: 'rows', total: integer(total), rows };
}

function readSuccess(httpOk: boolean, text: string): { kind: 'success'; fields: JsonObject } | Refused | Unreadable {
  const fields = parseObject(text);
  if (fields === null) return httpOk ? { kind: 'unreadable' } : { kind: 'refused', code: null };
  const code = integer(fields.code);
  if (httpOk && code === 200) return { kind: 'success', fields };
  const name = typeof fields.msg === 'string' && SYMBOLIC_CODES.has(fields.msg) ? fields.msg : null;
  if (httpOk && code === null && name === null) return { kind: 'unreadable' };
  return { kind: 'refused', code: name ?? code };
}

function parseObject(text: string): JsonObject | null {
  try {
    const parsed = parseJson(text);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function integer(value: unknown): number | null {
  const number = value instanceof JsonNumber ? Number(value.source) : null;
  return Number.isSafeInteger(number) ? number : null;
}
