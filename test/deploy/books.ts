import type { Sql } from '../../functions/database/connection.ts';

/** What the merchant's database says. */
export function openBooks(sql: Sql) {
  return {
    migrations: async () => (await sql<{ name: string }[]>`SELECT name FROM schema_migrations`).map(({ name }) => name),
    /** The body of a webhook of this type, byte for byte as it came. */
    async webhook(type: string): Promise<{ readonly id: string; readonly body: string }> {
      const [event] = await sql<{ id: string; body: string }[]>`
        SELECT id, payload AS body FROM webhook_events WHERE type = ${type} LIMIT 1`;
      if (!event) throw new Error(`no ${type} was stored`);
      return event;
    },
    processedEvents: async () =>
      (await sql<{ id: string }[]>`SELECT id FROM webhook_events WHERE status = 'processed'`).map(({ id }) => id),
    unfinishedTasks: async () =>
      (await sql<{ task: string }[]>`SELECT task FROM outbox WHERE status IN ('pending', 'processing')`).map(
        ({ task }) => task,
      ),
    /** What a person would have to look at. */
    async trouble(): Promise<readonly object[]> {
      const failed = await sql`SELECT task, last_error FROM outbox WHERE status = 'failed'`;
      return [...failed, ...(await sql`SELECT dedupe_key, reason FROM reconciliation_cases`)];
    },
    async order(merchantOrderId: string) {
      const [order] = await sql<{ paymentStatus: string; fulfillmentStatus: string }[]>`
        SELECT payment_status, fulfillment_status FROM merchant_orders WHERE id = ${merchantOrderId}`;
      return order;
    },
    async counts() {
      const [counts] = await sql<{ orders: number; events: number; tasks: number }[]>`
        SELECT (SELECT count(*) FROM merchant_orders) AS orders, (SELECT count(*) FROM webhook_events) AS events,
               (SELECT count(*) FROM outbox) AS tasks`;
      return counts;
    },
  };
}
