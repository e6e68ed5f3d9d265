import { connect } from '../database/connection.ts';
import { showOrder } from '../flows/show-order.ts';
import { count, text } from '../platform/settings.ts';
import { getOrderHandler } from './get-order.ts';

const sql = connect({ url: text('DATABASE_URL'), max: count('DATABASE_MAX_CONNECTIONS', 1) });

export const handler = getOrderHandler({
  showOrder: (customerId, merchantOrderId) => showOrder(sql, customerId, merchantOrderId),
});
