import { randomUUID } from 'node:crypto';
import type { OrderView } from '../../functions/flows/order-view.ts';
import type { Cloud } from './cloud.ts';
import type { SignIn } from './sign-in.ts';

export interface Checkout {
  readonly merchantOrderId: string;
  readonly checkoutUrl: string;
}

/** The shop's pages, as far as the API sees them: signed-in customers who buy and look. */
export function openShop(apiUrl: string, signIn: SignIn) {
  async function call(path: string, init: RequestInit, token: string | null): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) };
    return fetch(`${apiUrl}${path}`, { ...init, headers: { ...headers, ...init.headers } });
  }

  /** Asks for a checkout of the one product; a null token for nobody who is signed in. */
  async function ask(token: string | null, key: string = randomUUID()): Promise<Response> {
    const body = JSON.stringify({ productId: 'poster', quantity: 1 });
    return call('/api/checkout/create', { method: 'POST', body, headers: { 'idempotency-key': key } }, token);
  }

  return {
    ask,
    /** Buys, and asks again with the same key while the answer is not there, as a shop's page does. */
    async buy(customerId: string): Promise<Checkout> {
      const key = randomUUID();
      for (let tries = 1; ; tries += 1) {
        const answer = await ask(await signIn.tokenFor(customerId), key).catch(() => null);
        if (answer?.ok) return (await answer.json()) as Checkout;
        const problem = `${answer?.status ?? 'no answer'} ${await answer?.text()}`;
        if (tries === 20) throw new Error(`the checkout was refused: ${problem}`);
      }
    },
    async look(merchantOrderId: string, customerId: string): Promise<{ status: number; order: OrderView }> {
      const answer = await call(`/api/orders/${merchantOrderId}`, {}, await signIn.tokenFor(customerId));
      return { status: answer.status, order: (await answer.json()) as OrderView };
    },
  };
}

export type Shop = ReturnType<typeof openShop>;

/**
 * How this machine reaches an API by its address in AWS: emulators name APIs by hosts that no resolver knows, and take
 * the name in the path as well. `$default` is the stage.
 */
export function reachable(url: string, { environment }: Cloud): string {
  const { hostname, pathname } = new URL(url);
  const [apiId] = hostname.split('.');
  return `${environment.AWS_ENDPOINT_URL}/_aws/execute-api/${apiId}/$default${pathname === '/' ? '' : pathname}`;
}
