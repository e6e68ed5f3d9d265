import { parseArgs } from 'node:util';
import { Problem } from '../problem.ts';

export const HELP = `npm run send-event -- --type <event type> [options]
Signs an event as Clink would and sends it to the API of the running stack. Prints the answer; exits with 1 unless it is 2xx.

What it tells (left out unless given or known of --order):
  --type order.succeeded   any text is sent; the types that are handled get the fields that Clink gives them
  --order <id>             our order; its Clink session, Clink order, amount and currency are looked up
  --session <id>           Clink's session             --foreign-session   one that belongs to nobody
  --clink-order <id>       Clink's order, a new one by default
  --event <id>             a new one by default        --created <ms>      now by default
  --amount 19.99           --currency USD              --status success
  --refund <id>            --failure-code declined
  --raw '<body>'           this very text instead of all of the above

How it is sent:
  --bad-signature          --stale (signed a day ago)  --repeat <n> (the same delivery n times)
  --url <webhook URL>      --key <signing key>         those of the running stack by default

npm run send-event -- --fixtures
Makes an order through the API, plays the local fixture sequence for it, and checks what came of it.
`;

const OPTIONS = {
  type: { type: 'string' },
  order: { type: 'string' },
  session: { type: 'string' },
  'foreign-session': { type: 'boolean' },
  'clink-order': { type: 'string' },
  event: { type: 'string' },
  created: { type: 'string' },
  amount: { type: 'string' },
  currency: { type: 'string' },
  status: { type: 'string' },
  refund: { type: 'string' },
  'failure-code': { type: 'string' },
  raw: { type: 'string' },
  'bad-signature': { type: 'boolean' },
  stale: { type: 'boolean' },
  repeat: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  fixtures: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export type Flags = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Throws `Problem` for what it does not know. */
export function readFlags(args: readonly string[]): Flags {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS });
    const { type, raw, fixtures, help } = values;
    if (!type && raw === undefined && !fixtures && !help) throw new Error('--type is missing');
    return values;
  } catch (error) {
    throw new Problem(`${(error as Error).message.split('. ')[0]}; --help lists the options`);
  }
}

/** A whole number from the command line. Throws `Problem`. */
export function wholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw new Problem(`--${name} must be a whole number`);
  return Number(text);
}
