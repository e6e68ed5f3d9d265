export interface Answer {
  readonly status: number;
  /** Parsed; null when the body is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface Request {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds after which nobody waits for the answer any more. */
  readonly timeoutMs?: number;
}

/** One HTTP request with JSON. Null when no whole answer came: nobody knows then whether it was done. */
export async function request(method: string, url: string, options: Request = {}): Promise<Answer | null> {
  const { body, headers, timeoutMs = 30_000 } = options;
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: parse(await response.text()) };
  } catch {
    return null;
  }
}

function parse(text: string): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : null;
  } catch {
    return null;
  }
}

/**
 * A request to something that works: the Clink double, or a merchant who is up. Under load its answer may get lost, and it
 * is made again then; what that does twice is in the ledgers.
 */
export async function command(
  method: string,
  url: string,
  body: object = {},
  tries = 3,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await request(method, url, method === 'DELETE' ? {} : { body });
  if (answer === null && tries > 1) return command(method, url, body, tries - 1);
  if (answer?.status !== 200 || answer.body === null)
    throw new Error(`${method} ${new URL(url).pathname}: ${answer?.status ?? 'no answer'}`);
  return answer.body;
}
