import { openDatabase } from '../database/open-database.ts';
import { showOrder } from '../flows/show-order.ts';
import { getOrderHandler } from './get-order.ts';

const sql = await openDatabase();

export const handler = getOrderHandler({
  showOrder: (customerId, merchantOrderId) => showOrder(sql, customerId, merchantOrderId),
});
