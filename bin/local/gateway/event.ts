import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

export type Claims = Readonly<Record<string, string>>;

export interface GatewayRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Lower-case names, every value that came. */
  readonly headers: IncomingMessage['headersDistinct'];
  readonly body: Buffer;
  readonly sourceIp: string;
}

export interface MatchedRoute {
  readonly key: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Null on a route without an authorizer. */
  readonly claims: Claims | null;
}

/** The event of an API Gateway HTTP API, payload format 2.0. `now` in milliseconds since 1970. */
export function gatewayEvent(request: GatewayRequest, route: MatchedRoute, now: number): APIGatewayProxyEventV2 {
  const [rawPath = '/', rawQueryString = ''] = splitOnce(request.target, '?');
  const headers = joinHeaders(request.headers);
  const query = joinQuery(rawQueryString);
  const cookies = request.headers.cookie?.flatMap((line) => line.split(/; */)) ?? [];
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(rawQueryString !== '' && { queryStringParameters: query }),
    ...(Object.keys(route.pathParameters).length > 0 && { pathParameters: { ...route.pathParameters } }),
    requestContext: requestContext(request, route, rawPath, headers, now),
    ...bodyFields(request.body, headers),
  };
}

function requestContext(
  { method, sourceIp }: GatewayRequest,
  { key, claims }: MatchedRoute,
  path: string,
  headers: Record<string, string>,
  now: number,
): APIGatewayProxyEventV2['requestContext'] {
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' };
  const context = {
    accountId: '000000000000',
    apiId: 'local',
    domainName: headers.host ?? 'localhost',
    domainPrefix: 'local',
    http,
    requestId: randomUUID(),
    routeKey: key,
    stage: '$default',
    time: commonLogTime(now),
    timeEpoch: now,
  };
  return claims === null ? context : Object.assign(context, { authorizer: { jwt: { claims, scopes: null } } });
}

function bodyFields(body: Buffer, headers: Record<string, string>): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const text = isText(headers) ? decodeUtf8(body) : null;
  return text === null
    ? { body: body.toString('base64'), isBase64Encoded: true }
    : { body: text, isBase64Encoded: false };
}

/** The gateway passes these on as text, and everything else, compressed bodies too, in Base64. */
function isText(headers: Record<string, string>): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' && /^(text\/.+|application\/(json|javascript|xml))$/.test(type);
}

function decodeUtf8(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

function joinHeaders(headers: IncomingMessage['headersDistinct']): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name !== 'cookie');
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.join(',') ?? '']));
}

function joinQuery(rawQueryString: string): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(joined);
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Such as `07/Mar/2026:19:03:58 +0000`. */
function commonLogTime(now: number): string {
  const [, day, month, year, time] = /, (\d\d) (\w{3}) (\d{4}) ([\d:]{8})/.exec(new Date(now).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
