import type { Sql } from '../../../functions/database/connection.ts';

/** What years of business leave behind: paid and delivered orders, three events, tasks and journal rows of each. */

export const STORED_ORDERS = 1_000_000;
const DAYS = 400;

const TABLES = ['merchant_orders', 'payment_attempts', 'webhook_events', 'outbox', 'order_journal'];

/**
 * Fills an empty database, as its superuser. Ids are as scattered as random ones. Indexes are built afterwards and
 * foreign keys are not asked, which is why this takes a minute and not an hour; in the end all is as if it had come one
 * by one and autovacuum had been there.
 */
export async function storeHistory(owner: Sql, progress: (words: string) => void): Promise<void> {
  await owner`SET session_replication_role = replica`;
  await owner`SET maintenance_work_mem = '1GB'`;
  await keepIndexes(owner, false);
  for (const [what, statement] of STATEMENTS) {
    progress(`storing ${what}`);
    await owner.unsafe(statement);
  }
  await keepIndexes(owner, true);
  for (const table of TABLES) {
    progress(`indexing ${table}`);
    await owner.unsafe(`REINDEX TABLE ${table}`);
    await owner.unsafe(`VACUUM (ANALYZE) ${table}`);
  }
  await owner`SET session_replication_role = DEFAULT`;
}

async function keepIndexes(owner: Sql, kept: boolean): Promise<void> {
  await owner`UPDATE pg_index SET indisready = ${kept} WHERE indrelid = ANY(${TABLES}::text[]::regclass[])`;
}

const SECONDS_APART = (DAYS * 86_400) / STORED_ORDERS;
/**
 * Every order with the ids of what belongs to it, and when it came: the last one a moment ago. The barrier has each id
 * made once.
 */
const ORDERS = `(
  SELECT n, 'mo_' || md5('mo' || n) AS mo, 'sess_' || md5('sess' || n) AS sess, 'order_' || md5('order' || n) AS attempt,
         now() - (${STORED_ORDERS} - n) * ${SECONDS_APART} * interval '1 second' AS at,
         (extract(epoch FROM now()) * 1000)::bigint - ((${STORED_ORDERS} - n) * ${SECONDS_APART * 1000}::float8)::bigint AS at_ms
  FROM generate_series(1, ${STORED_ORDERS}) AS n OFFSET 0) AS orders`;
const EVENTS = `(
  SELECT orders.*, type, 'event_' || md5(type || n) AS event
  FROM ${ORDERS}, unnest(ARRAY['order.created', 'order.succeeded', 'session.complete']) AS type OFFSET 0) AS events`;

/** With the fields that Clink sends, and about as long. */
const BODY = `format('{"id":"%s","object":"event","type":"%s","created":%s,"data":{"object":{"orderId":"%s","type":"onetime",'
  '"merchantReferenceId":"%s","sessionId":"%s","customerId":"cus_%s","customerEmail":"shopper-%s@example.test",'
  '"status":"success","amountSubtotal":19.99,"originalCurrency":"USD","amountTotal":19.99,"paymentCurrency":"USD",'
  '"paymentTime":%s,"invoiceId":null,"productId":null,"priceDataList":null,"paymentMethod":{"paymentMethodType":"CARD",'
  '"paymentInstrumentId":"pi_%s"},"paymentExecutionDetails":null,"metadata":{},"riskLevel":"LOW"}}}',
  event, type, at_ms, attempt, mo, sess, mo, n, at_ms, sess)`;

const STATEMENTS: readonly (readonly [what: string, statement: string])[] = [
  [
    'orders',
    `INSERT INTO merchant_orders (
       id, customer_id, product_snapshot, original_amount, original_currency, idempotency_key, request_hash,
       clink_session_id, clink_checkout_url, clink_session_status, clink_session_last_event_created,
       current_clink_order_id, payment_status, fulfillment_status, refundable_paid_clink_order_id, refundable_paid_amount,
       refundable_paid_currency, created_at, updated_at)
     SELECT mo, 'customer_' || n % 200000, '{"id":"poster","name":"Poster","unitAmount":"19.99","quantity":1}', 19.99, 'USD',
            'key_' || mo, md5(mo) || md5(sess), sess, 'https://checkout.example/pay?token=' || attempt, 'completed', at_ms,
            attempt, 'paid', 'fulfilled', attempt, 19.99, 'USD', at, at
     FROM ${ORDERS}`,
  ],
  [
    'attempts',
    `INSERT INTO payment_attempts (clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at,
                                   last_event_created, received_at, updated_at)
     SELECT attempt, mo, sess, 'succeeded', at_ms, at_ms, at, at FROM ${ORDERS}`,
  ],
  [
    'events',
    `INSERT INTO webhook_events (id, type, payload, body_hash, status, merchant_order_ref, clink_order_ref,
                                 clink_session_ref, created_at, updated_at)
     SELECT event, type, ${BODY}, md5(event) || md5(mo), 'processed', mo, attempt, sess, at, at FROM ${EVENTS}`,
  ],
  [
    'finished tasks',
    `INSERT INTO outbox (task, event_id, order_id, clink_order_id, dedupe_key, status, created_at, updated_at)
     SELECT task, 'event_' || md5('order.succeeded' || n), mo, attempt, task || ':' || mo, 'succeeded', at, at
     FROM ${ORDERS}, unnest(ARRAY['fulfill', 'reprocess_webhook', 'reconcile_session']) AS task`,
  ],
  [
    'the journal',
    `INSERT INTO order_journal (merchant_order_id, source, source_id, clink_order_id, outcome, reason,
                                payment_status_before, payment_status_after, created_at)
     SELECT mo, 'webhook', event, attempt, 'done', 'attempt_advanced', 'pending', 'paid', at FROM ${EVENTS}`,
  ],
];
