import type { ServerResponse } from 'node:http';

interface Structured {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly cookies?: readonly string[];
}

/** Sends what a function returned, read as payload format 2.0 reads it: without a `statusCode` all of it is the body. */
export function sendAnswer(response: ServerResponse, answer: unknown, extraHeaders: Record<string, string>): void {
  const { statusCode, headers = {}, body = '', isBase64Encoded = false, cookies = [] } = structured(answer);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  for (const [name, value] of Object.entries(extraHeaders)) response.setHeader(name, value);
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.writeHead(Number(statusCode)).end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}

/** An answer of the gateway itself. */
export function sendMessage(
  response: ServerResponse,
  status: number,
  message: string,
  extraHeaders: Record<string, string>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...extraHeaders }).end(JSON.stringify({ message }));
}

function structured(answer: unknown): Structured {
  const given = Object(answer) as Structured;
  if (given.statusCode !== undefined) return given;
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}
