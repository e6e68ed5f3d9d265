import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2WithJWTAuthorizer, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

import { describeError, log } from '../platform/log.ts';
import { count } from '../platform/metrics.ts';
import { HttpProblem } from './problem.ts';

export type JsonRequest = APIGatewayProxyEventV2WithJWTAuthorizer;
type Answer = APIGatewayProxyStructuredResultV2;

/** What either JSON route takes is a few short fields. */
const LONGEST_BODY = 16_384;

/** A route without a body. `answer` gives what 200 carries, or throws `HttpProblem`; anything else it throws is a 500. */
export function jsonRoute(answer: (request: JsonRequest) => Promise<object>) {
  return middy(async (request: JsonRequest): Promise<Answer> => json(200, await answer(request)))
    .use(httpHeaderNormalizer())
    .onError(answerProblem);
}

/** Like `jsonRoute`, for a route that takes JSON; `answer` gets it parsed. */
export function jsonBodyRoute(answer: (request: JsonRequest, body: unknown) => Promise<object>) {
  // The parser puts the value where the text was.
  const route = jsonRoute((request) => answer(request, request.body));
  return route.before(({ event }) => limitBody(event)).use(httpJsonBodyParser());
}

function limitBody({ body = '', isBase64Encoded }: JsonRequest): void {
  const size = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (size > LONGEST_BODY)
    throw new HttpProblem(413, 'body_too_large', `The body is longer than ${LONGEST_BODY} bytes.`);
}

function answerProblem(request: { error: unknown; event: JsonRequest; response: unknown }): void {
  const problem = toProblem(request.error);
  const { requestId } = request.event.requestContext;
  if (problem.status < 500) log.info('request_refused', { requestId, code: problem.code });
  else {
    log.error('request_failed', { requestId, code: problem.code, ...describeError(request.error) });
    count('RequestFailed');
  }
  const { status, code, message, headers } = problem;
  request.response = json(status, { error: { code, message } }, headers);
}

/** Problems pass; the body parser's refusals get codes of ours; of everything else the caller learns nothing. */
function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  if (status === 415) return new HttpProblem(415, 'unsupported_media_type', 'The body must be application/json.');
  if (status === 422) return new HttpProblem(400, 'invalid_json', 'The body is not valid JSON.');
  return new HttpProblem(500, 'internal_error', 'Something went wrong on our side.');
}

function json(statusCode: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    statusCode,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: JSON.stringify(body),
  };
}
