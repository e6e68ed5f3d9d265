import type { MerchantCall } from '../../bin/local/shop/merchant-ledger.ts';
import type { Stack } from '../../bin/local/stack-file.ts';
import { eventually } from './eventually.ts';

export interface Order {
  readonly display: string;
  readonly paymentStatus: string;
  readonly fulfillmentStatus: string;
  readonly refundedAmount: string;
  readonly amount: string;
}

/** Everything that a person could do with a running stack, by its addresses. */
export function shopperOf({ apiUrl, clinkUrl, shopUrl, customers }: Stack, customer = 0) {
  const authorization = `Bearer ${customers[customer]?.token}`;

  async function buy(productId = 'enamel-mug'): Promise<{ merchantOrderId: string; sessionId: string }> {
    const { merchantOrderId } = await json(
      'POST',
      `${apiUrl}/api/checkout/create`,
      { productId, quantity: 1 },
      authorization,
    );
    const { sessions } = await json('GET', `${clinkUrl}/control/state`);
    const session = (sessions as { merchantReferenceId: string; sessionId: string }[]).find(
      ({ merchantReferenceId }) => merchantReferenceId === merchantOrderId,
    );
    return { merchantOrderId: String(merchantOrderId), sessionId: String(session?.sessionId) };
  }
  async function pay(sessionId: string, attempt: object = {}): Promise<string> {
    const body = { outcome: 'success', ...attempt };
    return String((await json('POST', `${clinkUrl}/control/sessions/${sessionId}/pay`, body)).orderId);
  }
  async function order(merchantOrderId: string): Promise<Order> {
    return (await json('GET', `${apiUrl}/api/orders/${merchantOrderId}`, undefined, authorization)) as unknown as Order;
  }
  async function calls(task: string, merchantOrderId: string): Promise<MerchantCall[]> {
    const all = (await json('GET', `${shopUrl}/control/calls`)) as unknown as MerchantCall[];
    return all.filter((call) => call.task === task && Object(call.body.data).merchantOrderId === merchantOrderId);
  }
  return {
    buy,
    pay,
    order,
    calls,
    refund: (clinkOrderId: string, amount: string) =>
      json('POST', `${clinkUrl}/control/orders/${clinkOrderId}/refund`, { amount }),
    control: (method: string, path: string, body?: object) => json(method, `${clinkUrl}/control${path}`, body),
    trouble: (body: object) => json('PUT', `${shopUrl}/control/calls`, body),
    orderWith: (merchantOrderId: string, expected: Partial<Order>) =>
      eventually(`order with ${JSON.stringify(expected)}`, async () => {
        const seen = await order(merchantOrderId);
        return Object.entries(expected).every(([name, value]) => Object(seen)[name] === value) && seen;
      }),
  };
}

async function json(method: string, url: string, body?: object, authorization = ''): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: HTTP ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}
