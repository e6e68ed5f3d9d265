import { type Recorded, startRecordingServer } from '../platform/recording-server.ts';

/**
 * A door in front of the Clink double: every call goes through and has its effect at once, and a test may keep the
 * answer back until it lets it go.
 */
export interface Gate {
  readonly url: string;
  /** Every call so far, as it came over the wire. */
  readonly calls: readonly Recorded[];
  /** Keeps back the answer to the next call. */
  hold(): HeldAnswer;
  close(): Promise<void>;
}

export interface HeldAnswer {
  /** What Clink has answered, once it has. */
  readonly answered: Promise<{ readonly sessionId: string; readonly url: string }>;
  release(): void;
}

export async function startGate(clinkUrl: string): Promise<Gate> {
  const holds: { answered: PromiseWithResolvers<{ sessionId: string; url: string }>; released: Promise<void> }[] = [];

  async function answerFor(call: Recorded): Promise<{ status: number; text: string }> {
    const hold = holds.shift();
    const answer = await passOn(clinkUrl, call);
    if (hold) {
      const { data } = JSON.parse(answer.text) as { data: { sessionId: string; url: string } };
      hold.answered.resolve(data);
      await hold.released;
    }
    return answer;
  }

  const server = await startRecordingServer(async (response, call) => {
    try {
      const { status, text } = await answerFor(call);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    } catch {
      response.destroy();
    }
  });
  return {
    url: server.url,
    calls: server.requests,
    hold() {
      const answered = Promise.withResolvers<{ sessionId: string; url: string }>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      holds.push({ answered, released });
      return { answered: answered.promise, release };
    },
    close: server.close,
  };
}

async function passOn(clinkUrl: string, { method, path, headers, body }: Recorded) {
  const response = await fetch(clinkUrl + path, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-api-key': String(headers['x-api-key']),
      'x-timestamp': String(headers['x-timestamp']),
    },
    body: method === 'GET' ? null : body,
  });
  return { status: response.status, text: await response.text() };
}
