import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { removeCluster } from '../../bin/local/postgres.ts';
import type { Stack } from '../../bin/local/stack-file.ts';
import { shopperOf } from '../local/shopper.ts';
import { openStackProcess, type StackProcess } from '../local/stack-process.ts';
import { startBrowser } from './browser.ts';

let running: StackProcess;
let stack: Stack;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await startBrowser();
  folder = await mkdtemp(join(tmpdir(), 'clink-browser-'));
  running = await openStackProcess(folder);
  stack = running.stack;
});

afterAll(async () => {
  await browser?.close();
  await running?.end('SIGINT');
  await removeCluster(join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
});

/** A shopper's browser; whatever goes wrong in a page fails the test. */
async function openShop(options: { colorScheme?: 'light' | 'dark'; width?: number } = {}): Promise<Page> {
  const { colorScheme = 'light', width = 1100 } = options;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())));
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  await page.goto(stack.shopUrl);
  return page;
}

/** Presses buy and arrives on the payment page. */
async function buy(page: Page, productId = 'enamel-mug'): Promise<void> {
  await page.click(`#buy-${productId}`);
  await page.waitForURL(`${stack.clinkUrl}/pay/*`);
}

async function expectDisplay(page: Page, display: string): Promise<void> {
  await page.waitForSelector(`#display[data-display="${display}"]`);
}

async function expectDelivered(page: Page): Promise<void> {
  await expectDisplay(page, 'paid');
  await page.waitForSelector('#fulfillment[data-status="fulfilled"]');
  expect(await page.textContent('#fulfillment')).toBe('Delivered');
}

/** Kept for a person to look at, where SCREENSHOTS names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

test('buys and pays', async () => {
  const page = await openShop();
  await picture(page, 'shop');
  await buy(page);
  await picture(page, 'payment');
  await page.click('#pay');
  await expectDelivered(page);
  expect(await page.textContent('#headline')).toContain('Paid');
  expect(await page.textContent('#amount')).toBe('USD\u00a019.99');
  await picture(page, 'paid');
  await page.click('text=My orders');
  await page.waitForSelector('#orders >> text=Paid');
  await picture(page, 'orders');
});

test('is declined, looks at the shop, and then pays on the same page', async () => {
  const page = await openShop();
  await buy(page, 'tenugui-cloth');
  await page.click('#decline');
  await page.waitForSelector('[role=alert]');
  await page.click('#abandon');
  await expectDisplay(page, 'failed_try_again');
  await picture(page, 'declined');
  await page.click('#try-again');
  await page.waitForURL(`${stack.clinkUrl}/pay/*`);
  await page.click('#pay');
  await expectDelivered(page);
  expect(await page.textContent('#amount')).toBe('JPY\u00a01,800');
});

test('has to verify, comes back first, and then does', async () => {
  const page = await openShop();
  await buy(page, 'toraja-coffee');
  await page.click('#verify');
  const verification = page.url();
  await page.waitForSelector('#verify-complete');
  const { sessions } = (await shopperOf(stack).control('GET', '/state')) as { sessions: { cancelUrl: string }[] };
  await page.goto(sessions.at(-1)?.cancelUrl ?? '');
  await expectDisplay(page, 'action_required');
  await picture(page, 'action-required');
  await page.click('#try-again');
  await page.waitForURL(verification);
  await page.click('#verify-complete');
  await expectDelivered(page);
  expect(await page.textContent('#amount')).toBe('IDR\u00a0145,000');
});

test('comes back before the webhook and sees "confirming" become "paid"', async () => {
  const page = await openShop();
  await buy(page);
  const shopper = shopperOf(stack);
  const { sessions } = (await shopper.control('GET', '/state')) as {
    sessions: { sessionId: string; successUrl: string }[];
  };
  const session = sessions.at(-1);
  await shopper.pay(session?.sessionId ?? '', { webhooks: 'hold' });
  await page.goto(session?.successUrl ?? '');
  await page.waitForSelector('#facts:not([hidden])');
  await expectDisplay(page, 'confirming');
  expect(await page.textContent('#headline')).toContain('Confirming');
  expect(await page.isHidden('#try-again')).toBe(true);
  await picture(page, 'confirming');
  await shopper.control('POST', '/deliveries/release');
  await expectDelivered(page);
});

test('abandons the payment page, and finds the order again when the page has expired', async () => {
  const page = await openShop();
  await buy(page, 'linen-notebook');
  await page.click('#abandon');
  await page.waitForSelector('#facts:not([hidden])');
  await expectDisplay(page, 'confirming');
  expect(await page.textContent('#headline')).toBe('No payment has arrived');
  expect(await page.isVisible('#try-again')).toBe(true);
  await picture(page, 'abandoned');
  const { sessions } = (await shopperOf(stack).control('GET', '/state')) as { sessions: { sessionId: string }[] };
  await shopperOf(stack).control('POST', `/sessions/${sessions.at(-1)?.sessionId}/expire`);
  await expectDisplay(page, 'expired');
  await picture(page, 'expired');
  await page.click('#buy-again');
  await page.waitForURL(`${stack.clinkUrl}/pay/*`);
});

test('gets a part back, and then all of it', async () => {
  const page = await openShop();
  await buy(page);
  await page.click('#pay');
  await expectDelivered(page);
  const dashboard = await page.context().newPage();
  await dashboard.goto(`${stack.clinkUrl}/dashboard`);
  await dashboard.locator('input[name=amount]').first().fill('7.50');
  await dashboard.locator('button:text("Refund")').first().click();
  await expectDisplay(page, 'partially_refunded');
  expect(await page.textContent('#refunded')).toBe('USD\u00a07.50');
  await picture(page, 'partially-refunded');
  await dashboard.goto(`${stack.clinkUrl}/dashboard`);
  await dashboard.locator('button:text("Refund")').first().click();
  await expectDisplay(page, 'refunded');
  expect(await page.textContent('#refunded')).toBe('USD\u00a019.99');
  await picture(page, 'refunded');
  await page.click("text=Merchant's desk");
  await page.waitForSelector('#work-apply_refund_policy');
  await picture(page, 'merchant');
});

test('does not see another customer’s order', async () => {
  const page = await openShop();
  await buy(page);
  await page.click('#pay');
  await expectDelivered(page);
  const merchantOrderId = new URL(page.url()).searchParams.get('orderId') ?? '';
  await page.click('button:text("Customer Two")');
  await page.waitForURL(`${stack.shopUrl}/`);
  expect(await page.getAttribute('button:text("Customer Two")', 'aria-pressed')).toBe('true');
  // A page would show it, but the browser notes the API's 404 as an error, so the API is asked from here.
  await expect(shopperOf(stack, 1).order(merchantOrderId)).rejects.toThrow('HTTP 404');
});

test('is shown well in the dark and on a phone', async () => {
  const page = await openShop({ colorScheme: 'dark', width: 380 });
  await picture(page, 'dark-shop');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await buy(page);
  await page.click('#pay');
  await expectDelivered(page);
  await picture(page, 'dark-paid');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});
