import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Knobs } from './knobs.ts';
import { Shelf } from './shelf.ts';

/** What every part of the double works on. */
export interface World {
  readonly database: DatabaseSync;
  readonly sessions: Shelf;
  readonly orders: Shelf;
  readonly refunds: Shelf;
  readonly knobs: Knobs;
  /** Where this double is served, without a trailing slash. */
  readonly url: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
}

/** Everything of a world that is not derived. */
export type Surroundings = Pick<World, 'database' | 'url' | 'now' | 'random'>;

export function createWorld(surroundings: Surroundings): World {
  const { database } = surroundings;
  return {
    ...surroundings,
    sessions: new Shelf(database, 'sessions'),
    orders: new Shelf(database, 'orders'),
    refunds: new Shelf(database, 'refunds'),
    knobs: new Knobs(),
  };
}

/** A new id such as `order_k3v9…`. */
export function newId(world: World, prefix: string): string {
  const digits = Array.from({ length: 20 }, () => Math.floor(world.random() * 36).toString(36));
  return `${prefix}_${digits.join('')}`;
}

/** A secret for the address of one payment page. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}
