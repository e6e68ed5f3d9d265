/** Ids, codes and durations only: no body, address, key, token, or text that came from outside. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a line or a figure of ours says that it is from. */
export const SERVICE = 'clink-merchant';

const LEVELS = ['INFO', 'WARN', 'ERROR', 'SILENT'] as const;
type Level = (typeof LEVELS)[number];

/** The lowest level that is written: LOG_LEVEL, or all. */
const lowest = LEVELS.indexOf((process.env.LOG_LEVEL ?? 'INFO') as Level);

/** `code` is a stable snake_case name of what happened, the same on every such line. */
export const log = {
  info: (code: string, fields: LogFields = {}): void => write('INFO', code, fields),
  warn: (code: string, fields: LogFields = {}): void => write('WARN', code, fields),
  error: (code: string, fields: LogFields = {}): void => write('ERROR', code, fields),
};

function write(level: Level, message: string, fields: LogFields): void {
  if (LEVELS.indexOf(level) < lowest) return;
  const head = { level, message, timestamp: new Date().toISOString(), service: SERVICE, xray_trace_id: traceId() };
  writeLine({ ...head, ...fields });
}

/** One line of JSON. Past `console`, which AWS Lambda makes put a frame of its own around a line. */
export function writeLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** AWS Lambda sets it for each event. */
function traceId(): string | undefined {
  return /Root=([^;]+)/.exec(process.env._X_AMZN_TRACE_ID ?? '')?.[1];
}

const LOGGABLE = /^[A-Za-z0-9_:.-]{1,64}$/;

export interface ErrorDescription {
  readonly errorName: string;
  readonly errorCode: string | null;
  readonly errorStatus?: number;
}

/** What may be logged of an error: its name, code and status. Messages and stacks quote what came from outside. */
export function describeError(error: unknown): ErrorDescription {
  const status = property(error, 'status');
  return {
    errorName: loggable(property(error, 'name')) ?? 'UnknownError',
    // fetch keeps the system's code, such as ECONNREFUSED, on the cause.
    errorCode: loggable(property(error, 'code')) ?? loggable(property(property(error, 'cause'), 'code')),
    ...(Number.isInteger(status) ? { errorStatus: Number(status) } : {}),
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** An id or a code that came from outside, as it may be logged: null when it does not look like one. */
export function loggable(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && LOGGABLE.test(text) ? text : null;
}
