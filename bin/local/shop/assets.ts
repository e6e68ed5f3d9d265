import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reply } from '../clink-double/http.ts';
import { known } from '../clink-double/refusal.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['shop.css', 'text/css'],
  ['icon.svg', 'image/svg+xml'],
  ['api.js', 'text/javascript'],
  ['buy.js', 'text/javascript'],
  ['checkout.js', 'text/javascript'],
  ['memory.js', 'text/javascript'],
  ['order.js', 'text/javascript'],
  ['orders.js', 'text/javascript'],
  ['wording.js', 'text/javascript'],
]);

/** A file of the `browser` folder; read anew each time, so that an edit shows at once. */
export async function asset(name: string): Promise<Reply> {
  const type = known(TYPES.get(name), 'file');
  const body = await readFile(join(import.meta.dirname, 'browser', name), 'utf8');
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8` }, body };
}
