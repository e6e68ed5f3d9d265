import type { RefusalCode } from './envelope.ts';

export type FailureReason = 'refused' | 'network' | 'timeout' | 'unreadable' | 'unusable_id' | 'no_api_key';

export interface Failure {
  readonly method: 'GET' | 'POST';
  /** Built by us; carries the id that was asked for and nothing else from outside. */
  readonly path: string;
  readonly reason: FailureReason;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly code: RefusalCode;
}

/** A call to Clink did not give what was asked for. */
export class ClinkError extends Error {
  override readonly name = 'ClinkError';
  readonly method: Failure['method'];
  readonly path: string;
  readonly status: number | null;
  readonly code: RefusalCode;
  /** Trying the same call again cannot help. */
  readonly permanent: boolean;
  /** Clink may have done what the call asked for; only ever true of a POST. */
  readonly outcomeUnknown: boolean;

  constructor(failure: Failure) {
    super(`Clink ${failure.method} ${failure.path} failed: ${describe(failure)}`);
    this.method = failure.method;
    this.path = failure.path;
    this.status = failure.status;
    this.code = failure.code;
    this.permanent = isPermanent(failure);
    this.outcomeUnknown = failure.method === 'POST' && mayHaveHappened(failure);
  }
}

function describe({ reason, status, code }: Failure): string {
  const parts = [status !== null && `HTTP ${status}`, code !== null && `code ${code}`, reason !== 'refused' && reason];
  return parts.filter((part) => part !== false).join(', ');
}

/**
 * 401 and 403 heal with a rotation or an allow-list, 404 when Clink's reads catch up with its writes, 408, 409, 425 and 429
 * with time; any other 4xx says that the request itself is wrong.
 */
const TRANSIENT_4XX: ReadonlySet<number> = new Set([401, 403, 404, 408, 409, 425, 429]);
/** Envelope codes below this repeat HTTP statuses; from here on they name rules of Clink's business. */
const FIRST_BUSINESS_CODE = 1000;

function isPermanent({ reason, status, code }: Failure): boolean {
  if (reason !== 'refused') return reason === 'unusable_id';
  if (typeof code === 'string') return true;
  const verdict = verdictOf(status, code);
  return verdict >= FIRST_BUSINESS_CODE || (verdict >= 400 && verdict < 500 && !TRANSIENT_4XX.has(verdict));
}

/** Everything short of a plain refusal may have made a session, also a success in a form we do not know. */
function mayHaveHappened({ reason, status, code }: Failure): boolean {
  if (reason !== 'refused') return reason === 'network' || reason === 'timeout' || reason === 'unreadable';
  if (typeof code === 'string') return false;
  const verdict = verdictOf(status, code);
  return verdict < 400 || (verdict >= 500 && verdict < FIRST_BUSINESS_CODE);
}

/** An HTTP status that says failure is believed; under an HTTP success the envelope's code speaks. */
function verdictOf(status: number | null, code: number | null): number {
  const http = status ?? 0;
  return http >= 400 ? http : (code ?? http);
}
