import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Decimal } from 'decimal.js';
import { type ClinkDouble, startClinkDouble } from '../../bin/local/clink-double/server.ts';
import { newApiKey, newSigningKey } from '../../bin/local/keys.ts';
import { JsonNumber, type JsonObject, parseJson } from '../../functions/clink/json.ts';
import { Money } from '../../functions/decisions/money.ts';

/** Clink, in the prover's own process: it keeps its ledger whatever becomes of the backend. */
export interface Clink extends ClinkDouble {
  /** As the merchant's operator knows them. */
  readonly keys: () => { readonly apiKey: string; readonly signingKey: string };
  /** From now on only the new key is good; returns it. */
  replaceApiKey(): string;
  /** From now on webhooks are signed with the new key; returns it. */
  replaceSigningKey(): string;
  /** The session whose payment page has this address. */
  sessionAt(checkoutUrl: string): string | null;
  /** Every session of an order, lost ones too. */
  sessionsOf(merchantOrderId: string): string[];
  /** A payment that Clink took, with nothing given back of it yet. */
  paymentOf(clinkOrderId: string): Payment;
  /** Deliveries that have not arrived, by their state; none when all have. */
  undelivered(): ReadonlyMap<string, number>;
}

/** A payment that Clink took, and what the run has given back of it. */
export interface Payment {
  readonly clinkOrderId: string;
  readonly price: Decimal;
  readonly currency: string;
  givenBack: Decimal;
}

/** Clink never gives a delivery up here: what is lost for good is not what this run is about. */
const RETRY_DELAYS_MS = [300, 600, 1200, 2500, ...Array.from({ length: 200 }, () => 4000)];

export async function startClink(folder: string, webhookUrl: () => string): Promise<Clink> {
  const databaseFile = join(folder, 'clink.sqlite');
  let [apiKey, signingKey] = [newApiKey(), newSigningKey()];
  const double = await startClinkDouble({
    port: 0,
    databaseFile,
    webhookUrl,
    apiKeys: () => [apiKey],
    signingSecret: () => signingKey,
    retryDelaysMs: RETRY_DELAYS_MS,
  });
  const reader = new DatabaseSync(databaseFile, { readOnly: true });
  const byToken = reader.prepare('SELECT id FROM sessions WHERE token = ?');
  const byReference = reader.prepare("SELECT id FROM sessions WHERE body ->> 'merchantReferenceId' = ?");
  const byId = reader.prepare("SELECT body ->> 'paymentCurrency' AS currency, body FROM orders WHERE id = ?");
  const waiting = reader.prepare(
    "SELECT state, count(*) AS n FROM deliveries WHERE state <> 'delivered' GROUP BY state",
  );
  return {
    url: double.url,
    async close() {
      reader.close();
      await double.close();
    },
    keys: () => ({ apiKey, signingKey }),
    replaceApiKey: () => (apiKey = newApiKey()),
    replaceSigningKey: () => (signingKey = newSigningKey()),
    sessionAt: (url) => (byToken.get(url.split('/').at(-1) ?? '')?.id as string | undefined) ?? null,
    sessionsOf: (merchantOrderId) => byReference.all(merchantOrderId).map(({ id }) => String(id)),
    paymentOf(clinkOrderId) {
      const row = byId.get(clinkOrderId);
      const { amountTotal } = parseJson(String(row?.body)) as JsonObject;
      const price = new Money(amountTotal instanceof JsonNumber ? amountTotal.source : String(amountTotal));
      return { clinkOrderId, price, currency: String(row?.currency), givenBack: new Money(0) };
    },
    undelivered: () => new Map(waiting.all().map(({ state, n }) => [String(state), Number(n)])),
  };
}
