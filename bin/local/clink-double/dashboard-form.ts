import { demand } from './refusal.ts';

/** A whole number from a form; an empty field is zero. */
export function numberField(fields: URLSearchParams, name: string): number {
  const text = fields.get(name)?.trim() || '0';
  demand(/^\d{1,9}$/.test(text), `${name} must be a whole number.`);
  return Number(text);
}

/** Whether a form's checkbox was ticked. */
export function flagField(fields: URLSearchParams, name: string): boolean {
  return fields.has(name);
}
