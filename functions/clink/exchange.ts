import { ClinkError, type Failure } from './failure.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
}

export interface Channel {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly apiKey: string;
  readonly deadline: AbortSignal;
  readonly caller: AbortSignal | undefined;
}

const LONGEST_ANSWER = 1_048_576;

/** One request and its whole answer, whatever its status. Throws `ClinkError`, or the caller's own abort reason. */
export async function exchange(
  channel: Channel,
  request: Request,
): Promise<{ readonly status: number; readonly text: string }> {
  const { deadline, caller } = channel;
  const signal = caller ? AbortSignal.any([caller, deadline]) : deadline;
  let status: number | null = null;
  try {
    const response = await channel.fetch(channel.baseUrl + request.path, {
      method: request.method,
      headers: headersOf(channel, request),
      body: request.body,
      // A redirect would carry the key to wherever it points.
      redirect: 'error',
      signal,
    });
    status = response.status;
    return { status, text: await readText(response) };
  } catch (error) {
    caller?.throwIfAborted();
    throw new ClinkError({ ...request, reason: reasonOf(error, deadline), status, code: null });
  }
}

/** The time is the call's own: Clink refuses a timestamp that is minutes old, so a retry must not carry the first one. */
function headersOf({ apiKey, now }: Channel, { body }: Request): Record<string, string> {
  return {
    accept: 'application/json',
    'x-api-key': apiKey,
    'x-timestamp': String(now()),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  };
}

class AnswerTooLongError extends Error {}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) throw new AnswerTooLongError();
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function reasonOf(error: unknown, deadline: AbortSignal): Failure['reason'] {
  if (error instanceof AnswerTooLongError) return 'unreadable';
  return deadline.aborted ? 'timeout' : 'network';
}
