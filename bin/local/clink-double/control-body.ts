import { isJsonObject, JsonNumber, type JsonObject, parseJson } from '../../../functions/clink/json.ts';
import type { SendMode } from './deliveries.ts';
import type { Call } from './http.ts';
import { decimalOf, jsonAmount } from './money.ts';
import { demand, Refusal } from './refusal.ts';

/** The JSON object of a control call; no body is an empty one. Refuses fields other than the allowed ones. */
export function readControlBody(call: Call, allowed?: readonly string[]): JsonObject {
  const body = parseBody(call.body);
  for (const name of allowed === undefined ? [] : Object.keys(body)) {
    demand(allowed?.includes(name) ?? true, `The field ${name} is not known here; known are: ${allowed?.join(', ')}.`);
  }
  return body;
}

export function oneOf<T extends string>(body: JsonObject, name: string, values: readonly T[], fallback?: T): T {
  const given = body[name] ?? fallback;
  const value = values.find((candidate) => candidate === given);
  demand(value !== undefined, `${name} must be one of: ${values.join(', ')}.`);
  return value;
}

export function sendMode(body: JsonObject): SendMode {
  return oneOf(body, 'webhooks', ['send', 'hold'], 'send');
}

export function optionalText(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  demand(value === undefined || (typeof value === 'string' && value !== ''), `${name} must be text.`);
  return value;
}

/** An amount given as a JSON number (kept digit for digit) or as text. */
export function optionalAmount(body: JsonObject, name: string): JsonNumber | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const amount = decimalOf(value);
  demand(amount !== undefined, `${name} must be a decimal number, or one as text.`);
  return value instanceof JsonNumber ? value : jsonAmount(amount);
}

/** A whole number from `least`, such as a count or milliseconds. */
export function wholeNumber(body: JsonObject, name: string, fallback: number, least = 0): number {
  const value = body[name];
  if (value === undefined) return fallback;
  const fits = value instanceof JsonNumber && /^\d{1,9}$/.test(value.source) && Number(value.source) >= least;
  demand(fits, `${name} must be a whole number from ${least}.`);
  return Number(value.source);
}

export function flag(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  demand(typeof value === 'boolean', `${name} must be true or false.`);
  return value;
}

function parseBody(text: string): JsonObject {
  if (text === '') return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new Refusal(400, 'The body must be JSON.');
  }
  demand(isJsonObject(value), 'The body must be a JSON object.');
  return value;
}
