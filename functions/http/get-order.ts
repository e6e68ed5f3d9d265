import type { OrderView } from '../flows/order-view.ts';
import { callerOf } from './caller.ts';
import { isIdentifier } from './identifier.ts';
import { jsonRoute } from './json-route.ts';
import { HttpProblem } from './problem.ts';

export interface GetOrderDeps {
  /** Null when the order is unknown or another customer's. */
  readonly showOrder: (customerId: string, merchantOrderId: string) => Promise<OrderView | null>;
}

/** `GET /api/orders/{id}`: the caller's own orders; another customer's is as absent as one that does not exist. */
export function getOrderHandler({ showOrder }: GetOrderDeps) {
  return jsonRoute(async (request) => {
    const { customerId } = callerOf(request);
    const id = request.pathParameters?.id ?? '';
    const order = isIdentifier(id) ? await showOrder(customerId, id) : null;
    if (order === null) throw new HttpProblem(404, 'order_not_found', 'There is no such order of yours.');
    return order;
  });
}
