import { join } from 'node:path';
import { connect } from '../../functions/database/connection.ts';
import { listProducts } from './database/products.ts';
import { startGateway } from './gateway/gateway.ts';
import { CUSTOMERS, type Identity } from './identity.ts';
import type { Ports } from './ports.ts';
import { MerchantLedger } from './shop/merchant-ledger.ts';
import { startShop } from './shop/server.ts';

export interface FrontOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly teardown: AsyncDisposableStack;
  readonly identity: Identity;
  readonly databaseUrl: string;
  readonly merchantSigningSecret: string;
  readonly dashboardUrl: () => string | null;
  readonly invoke: (lambda: string, event: object) => Promise<unknown>;
}

/** What browsers talk to: the shop with its merchant's endpoint, and the API. Each names the other's address. */
export async function startFront(
  options: FrontOptions,
): Promise<{ readonly shopUrl: string; readonly apiUrl: string }> {
  const { folder, ports, teardown, identity, databaseUrl } = options;
  const sql = connect({ url: databaseUrl, max: 2 });
  teardown.defer(() => sql.end({ timeout: 5 }));
  const ledger = new MerchantLedger(join(folder, 'merchant.sqlite'));
  teardown.defer(() => ledger.close());

  const urls = { shop: '', api: '' };
  const shop = await ports.start('shop', (port) =>
    startShop({
      port,
      ledger,
      apiUrl: () => urls.api,
      dashboardUrl: options.dashboardUrl,
      customers: CUSTOMERS,
      issueToken: identity.issueToken,
      listProducts: () => listProducts(sql),
      merchantSigningSecret: options.merchantSigningSecret,
    }),
  );
  teardown.defer(() => shop.close());
  urls.shop = shop.url;

  const gateway = await ports.start('api', (port) =>
    startGateway({
      port,
      allowedOrigin: () => urls.shop,
      verifyToken: identity.verifyToken,
      invoke: options.invoke,
    }),
  );
  teardown.defer(() => gateway.close());
  urls.api = gateway.url;
  return { shopUrl: shop.url, apiUrl: gateway.url };
}
