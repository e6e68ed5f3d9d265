import { beforeEach, expect, test, vi } from 'vitest';

import type { OrderView } from '../../functions/flows/order-view.ts';
import { type GetOrderDeps, getOrderHandler } from '../../functions/http/get-order.ts';
import { log } from '../../functions/platform/log.ts';
import { count } from '../../functions/platform/metrics.ts';
import { lambdaContext, payload, signedInPayload } from './payload.ts';

vi.mock('../../functions/platform/metrics.ts', () => ({ count: vi.fn() }));

const order: OrderView = {
  id: 'm-1001',
  paymentStatus: 'paid',
  fulfillmentStatus: 'pending',
  sessionStatus: 'completed',
  amount: '19.98',
  currency: 'USD',
  refundedAmount: '0',
  product: { id: 'book', name: 'Handbook', quantity: 2 },
  createdAt: '2026-08-06T00:00:00.000Z',
  updatedAt: '2026-08-06T00:00:05.000Z',
  display: 'paid',
};

const showOrder = vi.fn<GetOrderDeps['showOrder']>();

beforeEach(() => {
  showOrder.mockReset().mockResolvedValue(order);
});

async function answer(event: ReturnType<typeof signedInPayload>) {
  const { statusCode, body, headers } = await getOrderHandler({ showOrder })(event, lambdaContext);
  expect(headers).toMatchObject({ 'cache-control': 'no-store' });
  return { status: statusCode, body: JSON.parse(body ?? '') as unknown };
}

const signedIn = (id: string) => signedInPayload({ sub: 'customer-1' }, { pathParameters: { id } });

test("shows the caller's own order", async () => {
  expect(await answer(signedIn('m-1001'))).toEqual({ status: 200, body: order });
  expect(showOrder).toHaveBeenCalledExactlyOnceWith('customer-1', 'm-1001');
});

test('an order that is unknown or not the callers own is not found', async () => {
  showOrder.mockResolvedValue(null);
  const error = { code: 'order_not_found', message: 'There is no such order of yours.' };
  expect(await answer(signedIn('m-1002'))).toEqual({ status: 404, body: { error } });
});

test.each(['', 'a\0', '\ud800', 'x'.repeat(256)])('an id that no order can have is not looked for: %j', async (id) => {
  expect(await answer(signedIn(id))).toMatchObject({ status: 404 });
  expect(showOrder).not.toHaveBeenCalled();
});

test('without the claims of the authorizer nobody is served', async () => {
  const unauthorized = payload({ pathParameters: { id: 'm-1001' } }) as ReturnType<typeof signedInPayload>;
  expect(await answer(unauthorized)).toMatchObject({ status: 401, body: { error: { code: 'unauthenticated' } } });
  expect(showOrder).not.toHaveBeenCalled();
});

test('what was not expected is logged by its code, counted, and kept from the caller', async () => {
  const error = vi.spyOn(log, 'error');
  showOrder.mockRejectedValue(
    Object.assign(new Error('row of a@example.test'), { name: 'PostgresError', code: '57014' }),
  );
  expect(await answer(signedIn('m-1001'))).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(error).toHaveBeenCalledExactlyOnceWith('request_failed', {
    requestId: 'request-1',
    code: 'internal_error',
    errorName: 'PostgresError',
    errorCode: '57014',
  });
  expect(count).toHaveBeenCalledExactlyOnceWith('RequestFailed');
});
