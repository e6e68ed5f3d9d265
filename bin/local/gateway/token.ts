import type { JWTPayload } from 'jose';
import type { Claims } from './event.ts';

export type VerifyToken = (token: string) => Promise<JWTPayload | null>;

/** The claims of the bearer token, or null when there is none that is valid. */
export async function authorize(header: string | undefined, verifyToken: VerifyToken): Promise<Claims | null> {
  const token = /^(?:Bearer +)?(\S+)$/i.exec(header ?? '')?.[1];
  const payload = token === undefined ? null : await verifyToken(token);
  return payload === null ? null : asText(payload);
}

/** API Gateway hands every claim on as text, a list as `[one two]`. */
function asText(payload: JWTPayload): Claims {
  const text = (value: unknown): string => (Array.isArray(value) ? `[${value.join(' ')}]` : String(value));
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, text(value)]));
}
