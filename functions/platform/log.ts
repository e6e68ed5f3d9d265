import { Logger } from '@aws-lambda-powertools/logger';

/** Ids, codes and durations only: no body, address, key, token, or text that came from outside. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The level comes from POWERTOOLS_LOG_LEVEL. */
const logger = new Logger({ serviceName: 'clink-merchant' });

/** `code` is a stable snake_case name of what happened, the same on every such line. */
export const log = {
  info: (code: string, fields: LogFields = {}): void => logger.info(code, { ...fields }),
  warn: (code: string, fields: LogFields = {}): void => logger.warn(code, { ...fields }),
  error: (code: string, fields: LogFields = {}): void => logger.error(code, { ...fields }),
};

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
