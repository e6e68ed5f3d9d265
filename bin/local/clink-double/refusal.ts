/** A request that the double turns down: a sentence for the caller and the HTTP status that goes with it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** Refuses with 400 and the sentence unless the condition holds. */
export function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Refusal(400, sentence);
}

/** The value, or a 404 refusal that names what is unknown. */
export function known<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal(404, `There is no such ${what}.`);
  return value;
}
