import type { Reply } from './http.ts';

/** How webhooks are queued from now on. */
export interface DeliveryKnobs {
  /** Milliseconds that each delivery waits first. */
  delayMs: number;
  /** Extra copies of each event, sent at the same time as the event itself. */
  duplicates: number;
  /** Send the events of one action in reverse order. */
  reorder: boolean;
  /** Lose this many of the next deliveries for good, or all of them. */
  drop: number | true;
  /** Each event repeats the latest `created` of its session, instead of exceeding it. */
  equalTimestamps: boolean;
  /** Milliseconds from a refund until the order's status shows it. */
  refundStatusDelayMs: number;
}

/** What the API does for its next `times` calls of one method and path. */
export interface ScriptedAnswer {
  method: string;
  /** A path below `/api`; a closing `*` stands for any rest. */
  path: string;
  times: number;
  delayMs: number;
  /** Answered instead of doing anything; without it the call has its real effect and its real answer. */
  reply?: Reply;
  /** Do the real thing, then drop the connection instead of answering. */
  lost: boolean;
}

export const DEFAULT_DELIVERY: Readonly<DeliveryKnobs> = {
  delayMs: 0,
  duplicates: 0,
  reorder: false,
  drop: 0,
  equalTimestamps: false,
  refundStatusDelayMs: 200,
};

/** The trouble that this process makes on request. It is not stored: a restart ends all trouble. */
export class Knobs {
  delivery: DeliveryKnobs = { ...DEFAULT_DELIVERY };
  answers: ScriptedAnswer[] = [];

  setDelivery(delivery: DeliveryKnobs): DeliveryKnobs {
    this.delivery = delivery;
    return delivery;
  }

  /** Ends all scripted answers. Returns how many are left: none. */
  clearAnswers(): number {
    this.answers = [];
    return this.answers.length;
  }

  /** Whether the next delivery is to be lost; uses up one of a counted drop. */
  takeDrop(): boolean {
    const { drop } = this.delivery;
    if (drop === true) return true;
    if (drop > 0) this.delivery.drop = drop - 1;
    return drop > 0;
  }

  /** The first scripted answer for the call, used up by one. */
  takeAnswer(method: string, path: string): ScriptedAnswer | undefined {
    const answer = this.answers.find((candidate) => matches(candidate, method, path));
    if (answer === undefined) return undefined;
    answer.times -= 1;
    this.answers = this.answers.filter(({ times }) => times > 0);
    return answer;
  }
}

function matches(answer: ScriptedAnswer, method: string, path: string): boolean {
  if (answer.method !== '*' && answer.method !== method) return false;
  return answer.path.endsWith('*') ? path.startsWith(answer.path.slice(0, -1)) : answer.path === path;
}
