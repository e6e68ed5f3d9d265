import { createHmac } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithJWTAuthorizer, Context } from 'aws-lambda';

/** What a Lambda of API Gateway gets (HTTP API, payload 2.0). */
export function payload(changes: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: {},
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      domainName: 'api.test',
      domainPrefix: 'api',
      http: { method: 'POST', path: '/', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: '$default',
      stage: '$default',
      time: '06/Aug/2026:00:00:00 +0000',
      timeEpoch: 1_786_000_000_000,
    },
    isBase64Encoded: false,
    ...changes,
  };
}

/** The same behind the JWT authorizer. */
export function signedInPayload(
  claims: Record<string, string>,
  changes: Partial<APIGatewayProxyEventV2> = {},
): APIGatewayProxyEventV2WithJWTAuthorizer {
  const { requestContext, ...request } = payload(changes);
  const authorizer = { principalId: '', integrationLatency: 0, jwt: { claims, scopes: [] } };
  return { ...request, requestContext: { ...requestContext, authorizer } };
}

export const lambdaContext = {} as Context;

export function clinkSignature(secret: string, timestamp: string, bytes: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest('hex');
}
