import { log } from '../../functions/platform/log.ts';
import { SECRETS } from './signatures.ts';
import { BEARER_TOKEN, SHOPPER_EMAIL } from './values.ts';

interface Line {
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Every log line and every unhandled rejection since it was asked last. */
export interface Watch {
  take(): { readonly lines: readonly Line[]; readonly rejections: readonly unknown[] };
  stop(): void;
}

export function startWatch(): Watch {
  const original = { ...log };
  let lines: Line[] = [];
  let rejections: unknown[] = [];
  const note = (code: string, fields: Line['fields'] = {}): void => void lines.push({ code, fields });
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  Object.assign(log, { info: note, warn: note, error: note });
  process.on('unhandledRejection', onRejection);
  return {
    take() {
      const taken = { lines, rejections };
      lines = [];
      rejections = [];
      return taken;
    },
    stop() {
      Object.assign(log, original);
      process.off('unhandledRejection', onRejection);
    },
  };
}

/** The fields that a request may leave in the log. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['eventId', 'eventType', 'outcome', 'size', 'reason', 'ageMs', 'requestId', 'code', 'merchantOrderId', 'refundId'],
  ...['errorName', 'errorCode', 'errorStatus', 'task', 'taskId', 'attempt', 'delayMs', 'sent', 'returned', 'exhausted'],
]);
/** What an id or a code looks like. Anything else is text from outside. */
const WORD = /^[A-Za-z0-9_:.-]{1,64}$/;
const NEVER = ['canary', SHOPPER_EMAIL, BEARER_TOKEN, ...SECRETS, 'sk_test', 'whsec_'];

/** Says what is wrong with a log line, given the signature of the request it is about; null for a good one. */
export function faultOfLine({ code, fields }: Line, signature: string | undefined): string | null {
  for (const [name, value] of Object.entries(fields)) {
    if (!FIELDS.has(name)) return `${code} logs the field ${name}`;
    if (typeof value !== 'string') continue;
    if (!WORD.test(value)) return `${code} logs text from outside as ${name}: ${JSON.stringify(value.slice(0, 80))}`;
    const secret = [...NEVER, ...(signature ? [signature] : [])].find((text) => value.includes(text));
    if (secret !== undefined) return `${code} logs a secret as ${name}`;
  }
  return typeof fields.errorCode === 'string' && /^22/.test(fields.errorCode)
    ? `${code}: PostgreSQL was sent what it refuses (${fields.errorCode})`
    : null;
}
