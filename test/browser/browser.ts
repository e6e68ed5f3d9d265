import { access } from 'node:fs/promises';
import { type Browser, chromium } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const QUIET = ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts the machine's own Chromium. Throws a sentence when there is none. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await firstOf(PLACES);
  if (executablePath === undefined) {
    throw new Error('no Chromium found: install one (apt-get install chromium) or set CHROMIUM to its path');
  }
  // Chromium's sandbox refuses to run as root, as containers do.
  return chromium.launch({ executablePath, args: [...QUIET, '--no-sandbox'] });
}

async function firstOf(paths: readonly (string | undefined)[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere =
      path &&
      (await access(path).then(
        () => true,
        () => false,
      ));
    if (isThere) return path;
  }
  return undefined;
}
