import { setTimeout as wait } from 'node:timers/promises';
import type { Stack } from '../../bin/local/stack-file.ts';
import type { Clink } from './clink.ts';
import type { Database } from './database.ts';
import type { Queues } from './queues.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import type { Tally } from './tally.ts';

/** The real code with short times, so that what would take an hour is seen in seconds. */
const SHORT = { LEASE_MS: '3000', BACKOFF_BASE_MS: '200', MAX_BACKOFF_MS: '2000', CLAIM_EVERY_MS: '500' };

/** What outlives the backend. */
export interface Neighbours {
  readonly database: Database;
  readonly clink: Clink;
  readonly queues: Queues;
}

/** The whole local stack, its functions with their gateway and the merchant, in a process of its own. */
export class Backend {
  readonly #folder: string;
  readonly #database: Database;
  readonly #clink: Clink;
  readonly #queues: Queues;
  readonly #tally: Tally;
  #child: StackChild | null = null;
  #stack: Stack | null = null;

  constructor(folder: string, { database, clink, queues }: Neighbours, tally: Tally) {
    this.#folder = folder;
    this.#database = database;
    this.#clink = clink;
    this.#queues = queues;
    this.#tally = tally;
  }

  /** Where everything is; the addresses stay over a restart. */
  get stack(): Stack {
    if (this.#stack === null) throw new Error('the stack has not been started');
    return this.#stack;
  }

  /** With a clock that is ahead by `skewMs`, or behind when that is negative. */
  async start(skewMs: number): Promise<void> {
    const { apiKey, signingKey } = this.#clink.keys();
    const child = await startStackChild(
      this.#folder,
      {
        ...SHORT,
        DATABASE_URL: this.#database.url,
        AWS_ENDPOINT_URL: this.#queues.url,
        CLINK_API_URL: `${this.#clink.url}/api`,
        CLINK_SECRET_KEY: apiKey,
        CLINK_WEBHOOK_SIGNING_KEY: signingKey,
        PUBLIC_URL: 'http://127.0.0.1',
      },
      skewMs,
    );
    child.process.once('exit', (code) => {
      if (this.#child !== child) return;
      this.#tally.violation(`the backend ended by itself with code ${code}`);
      this.#child = null;
    });
    this.#child = child;
    this.#stack = child.stack;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    await child?.kill();
  }

  /** Stops the process where it stands, and lets it go on after a while as if nothing had been. */
  async freeze(ms: number): Promise<void> {
    this.#child?.process.kill('SIGSTOP');
    await wait(ms);
    this.#child?.process.kill('SIGCONT');
  }
}
