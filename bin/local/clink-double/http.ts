import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Refusal } from './refusal.ts';

/** One request, read to its end. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

/** One answer; `'lost'` drops the connection instead. */
export type Reply = { status: number; headers: Record<string, string>; body: string } | 'lost';

/** The method, the path, in which `:id` stands for one segment, and what answers it. */
export type Route = readonly [method: string, path: string, answer: (call: Call, id: string) => Reply | Promise<Reply>];

export async function readCall(request: IncomingMessage): Promise<Call> {
  const { method = 'GET', headers } = request;
  const url = new URL(request.url ?? '/', 'http://double');
  return { method, path: url.pathname, query: url.searchParams, headers, body: await text(request) };
}

export function writeReply(response: ServerResponse, reply: Reply): void {
  if (reply === 'lost') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, { 'cache-control': 'no-store', ...reply.headers }).end(reply.body);
}

/** The answer of the first route that matches; a refusal with 404 when none does. */
export function answerByRoute(routes: readonly Route[], call: Call): Reply | Promise<Reply> {
  for (const [method, path, answer] of routes) {
    const match = method === call.method ? new RegExp(`^${path.replace(':id', '([^/]+)')}$`).exec(call.path) : null;
    if (match !== null) return answer(call, decodeSegment(match[1] ?? ''));
  }
  throw new Refusal(404, 'There is nothing at this address.');
}

export function json(value: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) };
}

export function plainText(body: string, status: number): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** Sends the browser on with a GET. */
export function seeOther(location: string): Reply {
  return { status: 303, headers: { location }, body: '' };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, 'The address is not well formed.');
  }
}
