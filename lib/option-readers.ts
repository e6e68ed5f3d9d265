/** Readers of options. Each throws an error whose message finishes the sentence "<name> must be …". */

/** Over TLS, or on this machine; without a slash at the end. */
export function httpsUrl(text: string): string {
  const url = URL.parse(text);
  const isLoopback = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !isLoopback) throw new Error('an https:// address');
  return text.replace(/\/+$/, '');
}

/** One that paths are added to. */
export function baseUrl(text: string): string {
  const address = httpsUrl(text);
  if (/[?#]/.test(address)) throw new Error('an https:// address without a query');
  return address;
}

/** As it was given: a slash at the end is part of some issuers' names, and the gateway compares the text. */
export function issuer(text: string): string {
  httpsUrl(text);
  return text;
}

export function origin(text: string): string {
  if (URL.parse(httpsUrl(text))?.origin !== text) {
    throw new Error('an origin such as https://shop.example, without a path');
  }
  return text;
}

export function matching(pattern: RegExp, what: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new Error(what);
    return text;
  };
}

/** A multiple of `step`, when there is one. */
export function numberBetween(low: number, high: number, step?: number): (text: string) => number {
  const grain = step === undefined ? '' : step === 1 ? ', whole' : `, in steps of ${step}`;
  return (text) => {
    const value = Number(text);
    const isOnStep = step === undefined || Number.isInteger(value / step);
    if (!/^\d+(\.\d+)?$/.test(text) || value < low || value > high || !isOnStep) {
      throw new Error(`a number from ${low} to ${high}${grain}`);
    }
    return value;
  };
}

/** Separated by commas. */
export function list(each: (text: string) => string): (text: string) => readonly string[] {
  return (text) => text.split(',').map((part) => each(part.trim()));
}
