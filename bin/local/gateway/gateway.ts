import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeError, log } from '../../../functions/platform/log.ts';
import { closeServer } from '../close-server.ts';
import { sendAnswer, sendMessage } from './answer.ts';
import { gatewayEvent } from './event.ts';
import { matchRoute, ROUTES, type Route } from './routes.ts';
import { authorize, type VerifyToken } from './token.ts';

export interface GatewayOptions {
  /** 0 = any free port; on loopback only. */
  readonly port: number;
  /** The one origin whose pages may call. */
  readonly allowedOrigin: () => string;
  readonly verifyToken: VerifyToken;
  readonly invoke: (lambda: string, event: object) => Promise<unknown>;
  readonly integrationTimeoutMs?: number;
  readonly routes?: readonly Route[];
}

export interface Gateway {
  readonly url: string;
  /** Lets requests under way finish first, for a while. */
  close(): Promise<void>;
}

const PAYLOAD_LIMIT = 10 * 1024 * 1024;
const TIMED_OUT = Symbol('timed out');

/** An API Gateway HTTP API on this machine: routes, JWT authorizer, CORS, limits and payload format 2.0. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      log.error('gateway_failed', { ...describeError(error) });
      response.destroy();
    });
  }).listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeServer(server),
  };
}

async function answer(options: GatewayOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: target = '/' } = request;
  const cors = corsHeaders(request.headers.origin, options.allowedOrigin());
  const body = await readBody(request);
  if (method === 'OPTIONS' && request.headers['access-control-request-method']) {
    response.writeHead(204, { ...cors, ...(cors['access-control-allow-origin'] !== undefined && PREFLIGHT) }).end();
    return;
  }
  if (body === null) return sendMessage(response, 413, 'Request Entity Too Large', cors);

  const match = matchRoute(options.routes ?? ROUTES, method, target.split('?')[0] ?? '/');
  if (match === null) return sendMessage(response, 404, 'Not Found', cors);
  const { route, pathParameters } = match;
  const claims = route.needsToken ? await authorize(request.headers.authorization, options.verifyToken) : null;
  if (route.needsToken && claims === null) return sendMessage(response, 401, 'Unauthorized', cors);

  const { headersDistinct: headers, socket } = request;
  const gatewayRequest = { method, target, headers, body, sourceIp: socket.remoteAddress ?? '127.0.0.1' };
  const event = gatewayEvent(gatewayRequest, { key: route.key, pathParameters, claims }, Date.now());
  await integrate(options, route.lambda, event, response, cors);
}

async function integrate(
  { invoke, integrationTimeoutMs = 30_000 }: GatewayOptions,
  lambda: string,
  event: object,
  response: ServerResponse,
  cors: Record<string, string>,
): Promise<void> {
  const timeout = Promise.withResolvers<typeof TIMED_OUT>();
  const timer = setTimeout(() => timeout.resolve(TIMED_OUT), integrationTimeoutMs);
  try {
    const result = await Promise.race([invoke(lambda, event), timeout.promise]);
    if (result === TIMED_OUT) sendMessage(response, 503, 'Service Unavailable', cors);
    else sendAnswer(response, result, cors);
  } catch (error) {
    log.error('function_failed', { lambda, ...describeError(error) });
    sendMessage(response, 500, 'Internal Server Error', cors);
  } finally {
    clearTimeout(timer);
  }
}

/** Null when the body is longer than the gateway takes; the rest of it is read and dropped. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= PAYLOAD_LIMIT) chunks.push(chunk);
  }
  return length <= PAYLOAD_LIMIT ? Buffer.concat(chunks) : null;
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET,POST',
  'access-control-allow-headers': 'authorization,content-type,idempotency-key',
  'access-control-max-age': '600',
};

function corsHeaders(origin: string | undefined, allowedOrigin: string): Record<string, string> {
  return origin === allowedOrigin ? { 'access-control-allow-origin': origin, vary: 'origin' } : {};
}
