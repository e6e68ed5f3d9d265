import { ClinkError } from '../clink/failure.ts';
import type { SessionRequest } from '../clink/wire.ts';
import type { Sql } from '../database/connection.ts';
import {
  acquireSessionLease,
  type Checkout,
  findCheckoutUrl,
  releaseSessionLease,
  saveSession,
} from '../database/merchant-orders.ts';
import { wakeDeferredEvents } from '../database/outbox.ts';
import { inTransaction } from '../database/transaction.ts';
import { describeError, log } from '../platform/log.ts';
import { CheckoutRefusedError } from './checkout-refused.ts';
import type { CheckoutCommand, CheckoutFlow } from './start-checkout.ts';

/** Longer than the call to Clink can take with its one fallback: while it runs, nobody else asks for the same session. */
const SESSION_LEASE_MS = 22_000;
/** What a request may take in all, so that its own answer reaches the shopper inside the gateway's 30 seconds. */
const BUDGET_MS = 24_000;
/** How long a second request waits for the first one's URL: after that too little would be left for a call of its own. */
const PATIENCE_MS = 12_000;
const POLL_MS = 200;

/**
 * The URL to pay the order at. One request at a time asks Clink, since Clink opens a new session for every call; others
 * with the same order wait for its answer. After an unknown outcome the order stays without a session and may be tried
 * again: the URL of a session that got lost on the way was never shown to anyone.
 */
export async function openSession(flow: CheckoutFlow, command: CheckoutCommand, checkout: Checkout): Promise<string> {
  if (checkout.checkoutUrl !== null) return checkout.checkoutUrl;
  const startedAt = flow.now();
  const turn = await waitForTurn(flow, checkout.id, startedAt + PATIENCE_MS);
  if ('url' in turn) return turn.url;
  try {
    const signal = AbortSignal.timeout(Math.max(0, startedAt + BUDGET_MS - flow.now()));
    const { clinkSessionId, checkoutUrl } = await askClink(flow.clink, requestFor(flow, command, checkout), signal);
    return await keepSession(flow, checkout.id, clinkSessionId, checkoutUrl);
  } catch (error) {
    await releaseSessionLease(flow.sql, checkout.id, turn.lease);
    throw error;
  }
}

/** The right to ask Clink, or the URL that another request got meanwhile. */
async function waitForTurn(
  flow: CheckoutFlow,
  merchantOrderId: string,
  deadline: number,
): Promise<{ lease: string } | { url: string }> {
  while (true) {
    const lease = await acquireSessionLease(flow.sql, merchantOrderId, SESSION_LEASE_MS);
    if (lease !== null) return { lease };
    const url = await findCheckoutUrl(flow.sql, merchantOrderId);
    if (url !== null) return { url };
    if (flow.now() >= deadline) throw new CheckoutRefusedError('checkout_in_progress');
    await flow.wait(POLL_MS);
  }
}

async function askClink(clink: CheckoutFlow['clink'], request: SessionRequest, signal: AbortSignal) {
  try {
    return await clink.createSession(request, signal);
  } catch (error) {
    // The shopper's address changed since Clink first saw this reference, and Clink refuses the pair for good.
    if (
      error instanceof ClinkError &&
      error.code === 'CUSTOMER_IDENTIFIER_NOT_MATCHED' &&
      request.customerEmail !== null
    ) {
      return askClink(clink, { ...request, customerEmail: null }, signal);
    }
    log.warn('session_not_opened', { merchantOrderId: request.merchantOrderId, ...describeError(error) });
    const isRefusal = error instanceof ClinkError && error.permanent;
    throw new CheckoutRefusedError(isRefusal ? 'payment_provider_refused' : 'payment_provider_unavailable');
  }
}

/** Saves the session and lets events that came before it in; gives the URL that is saved, which an earlier answer may have set. */
async function keepSession(
  { sql, wakeUp }: CheckoutFlow,
  merchantOrderId: string,
  clinkSessionId: string,
  checkoutUrl: string,
): Promise<string> {
  const { saved, woken } = await inTransaction(sql, async (tx) => {
    const saved = saveSession(tx, merchantOrderId, clinkSessionId, checkoutUrl);
    const woken = wakeDeferredEvents(tx, { merchantOrderId, clinkSessionId, clinkOrderIds: [], exceptEventId: null });
    return { result: { saved, woken }, writes: [saved, woken] };
  });
  if ((await woken).count > 0) await wakeUp();
  return (await saved).count === 1 ? checkoutUrl : urlKept(sql, merchantOrderId);
}

async function urlKept(sql: Sql, merchantOrderId: string): Promise<string> {
  const url = await findCheckoutUrl(sql, merchantOrderId);
  if (url === null) throw new Error(`merchant order ${merchantOrderId} has a session without a URL`);
  return url;
}

function requestFor({ shopUrls }: CheckoutFlow, command: CheckoutCommand, checkout: Checkout): SessionRequest {
  const { id, product, amount, currency } = checkout;
  return {
    merchantOrderId: id,
    customerId: command.customerId,
    customerEmail: command.customerEmail,
    productName: product.name,
    unitAmount: product.unitAmount,
    quantity: product.quantity,
    amount,
    currency,
    successUrl: withOrder(shopUrls.success, id),
    cancelUrl: withOrder(shopUrls.cancel, id),
  };
}

function withOrder(url: string, merchantOrderId: string): string {
  const address = new URL(url);
  address.searchParams.set('orderId', merchantOrderId);
  return address.href;
}
