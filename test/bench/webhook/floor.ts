import type { Sql } from '../../../functions/database/connection.ts';
import type { ClinkEvent } from '../../../functions/decisions/event.ts';
import type { Received, SignedBody } from '../../../functions/flows/receive-event.ts';

/**
 * As little as a database can be asked for: one call, which does what the measured histories need and nothing else. It
 * has no rule about conflicts, lateness or ownership, so it is a floor and not an alternative.
 */
export async function installFloor(owner: Sql): Promise<void> {
  await owner.unsafe(FUNCTION);
}

export async function receiveInOneCall(sql: Sql, event: ClinkEvent, body: SignedBody): Promise<Received> {
  if (event.kind !== 'order') throw new Error(`the floor does not take ${event.type}`);
  await sql`
    SELECT receive_in_one_call(${event.id}, ${event.type}, ${body.text}, ${body.hash}, ${event.merchantOrderId},
      ${event.clinkOrderId}, ${event.clinkSessionId}, ${event.created}, ${event.amountTotal}, ${event.paymentCurrency})`;
  return 'stored';
}

const FUNCTION = `
  CREATE FUNCTION receive_in_one_call(event_id TEXT, event_type TEXT, body TEXT, hash TEXT, order_ref TEXT,
    attempt_ref TEXT, session_ref TEXT, event_created BIGINT, amount NUMERIC, currency TEXT) RETURNS VOID
  LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO webhook_events
      (id, type, payload, body_hash, status, merchant_order_ref, clink_order_ref, clink_session_ref)
    VALUES (event_id, event_type, body, hash, 'processed', order_ref, attempt_ref, session_ref);
    PERFORM FROM merchant_orders WHERE id = order_ref AND clink_session_id = session_ref FOR UPDATE;
    IF event_type = 'order.created' THEN
      INSERT INTO payment_attempts
        (clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at, last_event_created)
      VALUES (attempt_ref, order_ref, session_ref, 'pending', event_created, event_created);
      UPDATE merchant_orders SET current_clink_order_id = attempt_ref, updated_at = now() WHERE id = order_ref;
    ELSE
      UPDATE payment_attempts SET status = 'succeeded', last_event_created = event_created, updated_at = now()
      WHERE clink_order_id = attempt_ref;
      UPDATE merchant_orders SET payment_status = 'paid', fulfillment_status = 'pending',
        refundable_paid_clink_order_id = attempt_ref, refundable_paid_amount = amount,
        refundable_paid_currency = currency, updated_at = now()
      WHERE id = order_ref;
      INSERT INTO outbox (event_id, task, order_id, clink_order_id, dedupe_key)
      VALUES (event_id, 'fulfill', order_ref, attempt_ref, 'fulfill:' || order_ref);
    END IF;
    INSERT INTO order_journal (merchant_order_id, source, source_id, clink_order_id, outcome, reason,
                               payment_status_before, payment_status_after)
    VALUES (order_ref, 'webhook', event_id, attempt_ref, 'done',
            CASE event_type WHEN 'order.created' THEN 'attempt_inserted' ELSE 'attempt_advanced' END, 'pending',
            CASE event_type WHEN 'order.created' THEN 'pending' ELSE 'paid' END);
  END $$`;
