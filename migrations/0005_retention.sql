-- What is finished goes once it is old enough, so that the outbox does not grow for ever, nor the bodies of events, which
-- hold what Clink says about a shopper. What money was decided by stays: orders, attempts, refunds, cases, the journal,
-- and of every event its row with the id and the body's hash, by which a delivery is known again whenever it comes.

-- A body is as it came or gone, never another; what may still be decided keeps it.
-- NOT VALID: every row has its body so far, and reading them all would keep webhooks waiting. New rows are checked.
ALTER TABLE webhook_events
  ALTER COLUMN payload DROP NOT NULL,
  ADD CONSTRAINT ck_event_body_until_processed CHECK (payload IS NOT NULL OR status = 'processed') NOT VALID;

-- What was pruned leaves these, so that a batch costs the same however long the history is.
CREATE INDEX idx_processed_bodies ON webhook_events (updated_at) WHERE status = 'processed' AND payload IS NOT NULL;
-- A task goes only when nothing can ask for its key again: the event that it is named by is decided, the order says that
-- it was delivered, or it was a page, which a new failure sends anew. Tasks named by a refund or a case stay beside it:
-- Clink can tell of the same refund, or a conflict come back, under the id of another event. So do those that failed, and
-- those that a person closed.
CREATE INDEX idx_outbox_finished ON outbox (updated_at)
  WHERE status = 'succeeded'
    AND task IN ('fulfill', 'reprocess_webhook', 'reconcile_attempt', 'reconcile_session', 'page_outbox_failure');

-- The application's role may call these and still neither delete a task nor touch a body. Nothing younger than a week
-- goes, whatever it asks for: Clink sends an event again for about a day, and a message lives for two at most.
CREATE FUNCTION prune_finished_tasks(keep_days INT, most INT) RETURNS INT
LANGUAGE sql STRICT SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH old AS MATERIALIZED (
    SELECT id FROM outbox
    WHERE status = 'succeeded'
      AND task IN ('fulfill', 'reprocess_webhook', 'reconcile_attempt', 'reconcile_session', 'page_outbox_failure')
      AND updated_at < now() - make_interval(days => GREATEST(keep_days, 7))
    ORDER BY updated_at LIMIT most FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM outbox WHERE id IN (SELECT id FROM old) RETURNING id
  )
  SELECT count(*)::int FROM gone
$$;

CREATE FUNCTION drop_processed_bodies(keep_days INT, most INT) RETURNS INT
LANGUAGE sql STRICT SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH old AS MATERIALIZED (
    SELECT id FROM webhook_events
    WHERE status = 'processed' AND payload IS NOT NULL
      AND updated_at < now() - make_interval(days => GREATEST(keep_days, 7))
    ORDER BY updated_at LIMIT most FOR UPDATE SKIP LOCKED
  ), dropped AS (
    UPDATE webhook_events SET payload = NULL WHERE id IN (SELECT id FROM old) RETURNING id
  )
  SELECT count(*)::int FROM dropped
$$;

REVOKE ALL ON FUNCTION prune_finished_tasks(INT, INT), drop_processed_bodies(INT, INT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION prune_finished_tasks(INT, INT), drop_processed_bodies(INT, INT) TO payments_app;
