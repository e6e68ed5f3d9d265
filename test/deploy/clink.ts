import { randomBytes } from 'node:crypto';
import { startClinkDouble } from '../../bin/local/clink-double/server.ts';

export interface ClinkEvent {
  readonly id: string;
  readonly type: string;
}

export interface Delivery {
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastResult: string | null;
}

/** Clink's side: the double, its keys, and what a person does at its dashboard. */
export interface Clink {
  readonly url: string;
  readonly apiKey: string;
  signingSecret: string;
  webhookUrl: string;
  pay(checkoutUrl: string): Promise<string>;
  refund(clinkOrderId: string, amount: string): Promise<string>;
  /** The events of what is done meanwhile, of which none is delivered. */
  withoutDelivery(act: () => Promise<unknown>): Promise<readonly ClinkEvent[]>;
  events(): Promise<readonly ClinkEvent[]>;
  deliveries(): Promise<readonly Delivery[]>;
  close(): Promise<void>;
}

export const newSigningSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

export async function openClink(): Promise<Clink> {
  const keys = {
    apiKey: `sk_test_${randomBytes(18).toString('hex')}`,
    signingSecret: newSigningSecret(),
    webhookUrl: '',
  };
  const double = await startClinkDouble({
    port: 0,
    databaseFile: ':memory:',
    webhookUrl: () => clink.webhookUrl,
    apiKeys: () => [clink.apiKey],
    signingSecret: () => clink.signingSecret,
    retryDelaysMs: Array.from({ length: 60 }, () => 1_000),
  });

  async function control<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${double.url}/control${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Clink's ${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  interface State {
    readonly sessions: readonly { readonly sessionId: string; readonly token: string }[];
    readonly events: readonly ClinkEvent[];
    readonly deliveries: readonly Delivery[];
  }
  const state = () => control<State>('GET', '/state');

  const clink: Clink = {
    ...keys,
    url: double.url,
    async pay(checkoutUrl) {
      const token = new URL(checkoutUrl).pathname.split('/').at(-1);
      const session = (await state()).sessions.find((each) => each.token === token);
      if (!session) throw new Error('Clink has no session at this checkout URL');
      const paid = await control<{ orderId: string }>('POST', `/sessions/${session.sessionId}/pay`, {
        outcome: 'success',
      });
      return paid.orderId;
    },
    refund: async (clinkOrderId, amount) =>
      (await control<{ refundId: string }>('POST', `/orders/${clinkOrderId}/refund`, { amount })).refundId,
    async withoutDelivery(act) {
      const known = new Set((await state()).events.map(({ id }) => id));
      await control('PUT', '/delivery', { drop: true });
      await act();
      await control('PUT', '/delivery', {});
      return (await state()).events.filter(({ id }) => !known.has(id));
    },
    events: async () => (await state()).events,
    deliveries: async () => (await state()).deliveries,
    close: double.close,
  };
  return clink;
}
