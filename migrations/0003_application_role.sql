-- The role that every function but the migrator connects as: it can add and move, not rewrite what must stay as it was.
DO $$
BEGIN
  CREATE ROLE payments_app LOGIN;
EXCEPTION WHEN duplicate_object THEN
  NULL; -- roles belong to the cluster; another database of it has been here before
END
$$;

-- A query that hangs must not hold an order's row for longer than a webhook sender waits.
ALTER ROLE payments_app SET statement_timeout = '10s';
ALTER ROLE payments_app SET lock_timeout = '5s';
ALTER ROLE payments_app SET idle_in_transaction_session_timeout = '15s';

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO payments_app;

GRANT SELECT ON products, merchant_orders, payment_attempts, refunds, webhook_events, reconciliation_cases, outbox, order_journal
  TO payments_app;
GRANT INSERT ON merchant_orders, payment_attempts, refunds, webhook_events, reconciliation_cases, outbox, order_journal
  TO payments_app;

-- What was bought, by whom and for how much is settled when the order is made.
GRANT UPDATE (clink_session_id, clink_checkout_url, session_lease_until, clink_session_status, clink_session_last_event_created,
              current_clink_order_id, current_attempt_confirmed, payment_status, fulfillment_status,
              refundable_paid_clink_order_id, refundable_paid_amount, refundable_paid_currency, refunded_amount,
              applied_refund_amount, refund_policy_claim, updated_at)
  ON merchant_orders TO payments_app;
-- An attempt's owner never changes.
GRANT UPDATE (status, attempt_created_at, last_event_created, failure_code, failure_message, updated_at)
  ON payment_attempts TO payments_app;
-- A stored body never changes.
GRANT UPDATE (status, retry_count, next_retry_at, last_error, updated_at) ON webhook_events TO payments_app;
GRANT UPDATE (status, updated_at) ON reconciliation_cases TO payments_app;
GRANT UPDATE (status, attempt, next_retry_at, claim_token, worker_id, lease_until, started_at, woken, last_error, updated_at)
  ON outbox TO payments_app;
