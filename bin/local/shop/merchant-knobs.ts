import { oneOf, readControlBody, wholeNumber } from '../clink-double/control-body.ts';
import type { Call } from '../clink-double/http.ts';
import { MERCHANT_TASKS, type MerchantTask } from './merchant-ledger.ts';

/** What the next calls of a task meet. */
export interface Trouble {
  readonly task: MerchantTask;
  /** Answered instead of 200; the work is done only with a 2xx. */
  readonly status: number;
  /** Milliseconds before the answer. */
  readonly delayMs: number;
}

/** Trouble that scripts ask for. It is not stored: a restart ends it. */
export class MerchantKnobs {
  #coming: Trouble[] = [];

  /** Reads `{task, status?, delayMs?, times?}`; `times` is 1 by default. Throws `Refusal`. */
  add(call: Call): void {
    const body = readControlBody(call, ['task', 'status', 'delayMs', 'times']);
    const trouble: Trouble = {
      task: oneOf(body, 'task', MERCHANT_TASKS),
      status: wholeNumber(body, 'status', 200, 200),
      delayMs: wholeNumber(body, 'delayMs', 0),
    };
    const times = wholeNumber(body, 'times', 1, 1);
    this.#coming.push(...Array.from({ length: times }, () => trouble));
  }

  clear(): void {
    this.#coming = [];
  }

  /** The trouble for one call of the task, used up by it. */
  take(task: MerchantTask): Trouble | undefined {
    const index = this.#coming.findIndex((trouble) => trouble.task === task);
    return index < 0 ? undefined : this.#coming.splice(index, 1)[0];
  }
}
