import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** Clink looks at the status alone; the text says nothing that would help to forge the next delivery. */
export const ANSWERS = {
  accepted: plainText(200, 'ok'),
  unreadable: plainText(400, 'unreadable'),
  forged: plainText(401, 'invalid signature'),
  tooLarge: plainText(413, 'too large'),
  failed: plainText(500, 'retry later'),
  closed: plainText(503, 'retry later'),
} as const;

function plainText(statusCode: number, body: string): APIGatewayProxyStructuredResultV2 {
  return { statusCode, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }, body };
}
