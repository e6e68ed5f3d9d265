import type { JsonObject } from '../../../functions/clink/json.ts';
import { demandCheckoutRequest } from './checkout-request.ts';
import { type Customer, resolveCustomer } from './customers.ts';
import { inTransaction } from './database.ts';
import { textOf } from './fields.ts';
import { newId, newToken, type World } from './world.ts';

const SESSION_LIFE_MS = 60 * 60 * 1000;

/** `POST /checkout/session`: checks the request as Clink documents it and opens a session. Refuses with a sentence. */
export function createSession(world: World, request: JsonObject): JsonObject {
  demandCheckoutRequest(request);
  return inTransaction(world.database, () => {
    const customer = resolveCustomer(world, {
      customerId: textOf(request, 'customerId'),
      email: textOf(request, 'customerEmail'),
      reference: textOf(request, 'referenceCustomerId'),
    });
    return openSession(world, request, customer);
  });
}

function openSession(world: World, request: JsonObject, customer: Customer): JsonObject {
  const now = world.now();
  const token = newToken();
  const sessionId = newId(world, 'sess');
  const expire = new Date(now + SESSION_LIFE_MS).toISOString();
  const asked = {
    originalAmount: request.originalAmount,
    originalCurrency: request.originalCurrency,
    merchantReferenceId: textOf(request, 'merchantReferenceId') ?? null,
    uiMode: 'hostedPage',
    returnUrl: null,
  };
  const { originalAmount, ...kept } = asked;
  world.sessions.put(sessionId, {
    sessionId,
    token,
    status: 'open',
    paymentStatus: 'unpaid',
    amountSubtotal: originalAmount,
    amountTotal: null,
    ...kept,
    paymentCurrency: null,
    subscriptionId: null,
    invoiceId: null,
    orderId: null,
    locale: null,
    successUrl: textOf(request, 'successUrl') ?? null,
    cancelUrl: textOf(request, 'cancelUrl') ?? null,
    created: new Date(now).toISOString(),
    expire,
    price: null,
    product: null,
    customer: { customerId: customer.id, email: customer.email },
    priceDataList: request.priceDataList ?? [],
    metadata: request.metadata ?? {},
  });
  return {
    sessionId,
    tokenValue: token,
    customerId: customer.id,
    ...asked,
    url: `${world.url}/pay/${token}`,
    expireTime: expire,
  };
}
