import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

/** What a handler gets beside its event, as far as handlers of Node's promise style use it. */
export type LambdaContext = Omit<Context, 'done' | 'fail' | 'succeed'>;

/** `now` in milliseconds since 1970; the function's time runs from this call. */
export function lambdaContext(functionName: string, timeoutMs: number, now: () => number = Date.now): LambdaContext {
  const endsAt = now() + timeoutMs;
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - now()),
  };
}
