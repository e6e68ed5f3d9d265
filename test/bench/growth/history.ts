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

const id = (prefix: string, of = 'n'): string => `'${prefix}_' || md5('${prefix}' || ${of})`;
const SECONDS_APART = (DAYS * 86_400) / STORED_ORDERS;
/** When order `n` came, the last one a moment ago; and that in milliseconds, as Clink says it. */
const AT = `(now() - (${STORED_ORDERS} - n) * ${SECONDS_APART} * interval '1 second')`;
const AT_MS = `(extract(epoch FROM ${AT}) * 1000)::bigint`;
const ORDERS = `generate_series(1, ${STORED_ORDERS}) AS n`;

/** With the fields that Clink sends, and about as long. */
const BODY = `format('{"id":"%s","object":"event","type":"%s","created":%s,"data":{"object":{"orderId":"%s","type":"onetime",'
  '"merchantReferenceId":"%s","sessionId":"%s","customerId":"cus_%s","customerEmail":"shopper-%s@example.test",'
  '"status":"success","amountSubtotal":19.99,"originalCurrency":"USD","amountTotal":19.99,"paymentCurrency":"USD",'
  '"paymentTime":%s,"invoiceId":null,"productId":null,"priceDataList":null,"paymentMethod":{"paymentMethodType":"CARD",'
  '"paymentInstrumentId":"pi_%s"},"paymentExecutionDetails":null,"metadata":{},"riskLevel":"LOW"}}}',
  ${id('event', `type || n`)}, type, ${AT_MS}, ${id('order')}, ${id('mo')}, ${id('sess')}, md5('c' || n), n, ${AT_MS}, md5('p' || n))`;

const STATEMENTS: readonly (readonly [what: string, statement: string])[] = [
  [
    'orders',
    `INSERT INTO merchant_orders (
       id, customer_id, product_snapshot, original_amount, original_currency, idempotency_key, request_hash,
       clink_session_id, clink_checkout_url, clink_session_status, clink_session_last_event_created,
       current_clink_order_id, payment_status, fulfillment_status, refundable_paid_clink_order_id, refundable_paid_amount,
       refundable_paid_currency, created_at, updated_at)
     SELECT ${id('mo')}, 'customer_' || n % 200000, '{"id":"poster","name":"Poster","unitAmount":"19.99","quantity":1}',
            19.99, 'USD', md5('key' || n), md5('r' || n) || md5('h' || n), ${id('sess')},
            'https://checkout.example/pay?token=' || md5('t' || n), 'completed', ${AT_MS}, ${id('order')}, 'paid',
            'fulfilled', ${id('order')}, 19.99, 'USD', ${AT}, ${AT}
     FROM ${ORDERS}`,
  ],
  [
    'attempts',
    `INSERT INTO payment_attempts (clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at,
                                   last_event_created, received_at, updated_at)
     SELECT ${id('order')}, ${id('mo')}, ${id('sess')}, 'succeeded', ${AT_MS}, ${AT_MS}, ${AT}, ${AT} FROM ${ORDERS}`,
  ],
  [
    'events',
    `INSERT INTO webhook_events (id, type, payload, body_hash, status, merchant_order_ref, clink_order_ref,
                                 clink_session_ref, created_at, updated_at)
     SELECT ${id('event', `type || n`)}, type, ${BODY}, md5(type || n) || md5(n || type), 'processed', ${id('mo')},
            ${id('order')}, ${id('sess')}, ${AT}, ${AT}
     FROM ${ORDERS}, unnest(ARRAY['order.created', 'order.succeeded', 'session.complete']) AS type`,
  ],
  [
    'finished tasks',
    `INSERT INTO outbox (task, event_id, order_id, clink_order_id, dedupe_key, status, created_at, updated_at)
     SELECT task, ${id('event', `'order.succeeded' || n`)}, ${id('mo')}, ${id('order')},
            task || ':' || ${id('mo')}, 'succeeded', ${AT}, ${AT}
     FROM ${ORDERS}, unnest(ARRAY['fulfill', 'reprocess_webhook', 'reconcile_session']) AS task`,
  ],
  [
    'the journal',
    `INSERT INTO order_journal (merchant_order_id, source, source_id, clink_order_id, outcome, reason,
                                payment_status_before, payment_status_after, created_at)
     SELECT ${id('mo')}, 'webhook', ${id('event', `type || n`)}, ${id('order')}, 'done', 'attempt_advanced', 'pending',
            'paid', ${AT}
     FROM ${ORDERS}, unnest(ARRAY['order.created', 'order.succeeded', 'session.complete']) AS type`,
  ],
];
