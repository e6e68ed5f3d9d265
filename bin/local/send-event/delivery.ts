import { signatureHeaders } from '../clink-double/signing.ts';
import { orProblem } from '../problem.ts';

export interface Target {
  readonly url: string;
  readonly signingKey: string;
}

export interface Signing {
  readonly badSignature?: boolean | undefined;
  /** When it claims to have been signed, in milliseconds since 1970. */
  readonly timestamp: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a body as Clink sends its webhooks. Throws `Problem` when there is no answer. */
export async function deliver(target: Target, body: string, { badSignature, timestamp }: Signing): Promise<Answer> {
  const signed = signatureHeaders(target.signingKey, timestamp, body);
  const headers = badSignature ? { ...signed, 'x-clink-signature': '0'.repeat(64) } : signed;
  const sending = fetch(target.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(35_000),
  });
  const response = await orProblem(sending, `nothing answers at ${target.url}: is the stack running?`);
  return { status: response.status, text: await response.text() };
}
