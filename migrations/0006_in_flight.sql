-- "How many rows does a task have in flight?" keeps its index under a condition that no statement about one row states.
-- The old one stood under `status = 'processing'`, which every guard by a claim token says too: found almost empty when
-- PostgreSQL last counted, it was read from end to end, with the remains of all rows that had been in flight since, for a
-- row that its id leads to. A row's due time is its lease's end exactly while it is processing.
DROP INDEX idx_outbox_in_flight;
CREATE INDEX idx_outbox_in_flight ON outbox (task, lease_until) WHERE due_at = lease_until;
