import { isJsonObject, type JsonObject } from '../../../functions/clink/json.ts';
import type { Attempt } from './payments.ts';
import { newId, type World } from './world.ts';

/** The order of one attempt as it begins, in the fields of Clink's order resource. */
export function newOrder(world: World, session: JsonObject, orderId: string, attempt: Attempt): JsonObject {
  const customer = isJsonObject(session.customer) ? session.customer : {};
  return {
    orderId,
    type: 'onetime',
    merchantReferenceId: session.merchantReferenceId ?? null,
    sessionId: session.sessionId,
    invoiceId: null,
    customerId: customer.customerId ?? null,
    customerEmail: customer.email ?? null,
    productId: null,
    priceId: null,
    status: 'created',
    amountSubtotal: session.amountSubtotal ?? null,
    originalCurrency: session.originalCurrency ?? null,
    amountTotal: attempt.amountTotal ?? session.amountSubtotal ?? null,
    paymentCurrency: attempt.paymentCurrency ?? session.originalCurrency ?? null,
    paymentTime: null,
    priceDataList: null,
    paymentMethod: {
      paymentMethodType: 'CARD',
      paymentInstrumentId: newId(world, 'pi'),
      cardScheme: 'VISA',
      cardLastFour: '4242',
    },
    paymentExecutionDetails: null,
    metadata: session.metadata ?? {},
    riskLevel: 'LOW',
  };
}
