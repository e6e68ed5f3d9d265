-- Every verified delivery, once per event id; the row is also the memory of what still waits for something.
CREATE TABLE webhook_events (
  id                TEXT PRIMARY KEY,
  type              TEXT NOT NULL,
  -- The body as it came, byte for byte: deciding again later must see what was signed.
  payload           TEXT NOT NULL,
  body_hash         TEXT NOT NULL,
  status            TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'processed', 'failed')),
  merchant_order_ref TEXT,
  clink_order_ref    TEXT,
  clink_session_ref  TEXT,
  retry_count       INT NOT NULL DEFAULT 0,
  next_retry_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  last_error        TEXT,
  created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at        TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- "Which events wait for this order?" is asked by every decision that changes one, so it must not grow with history.
CREATE INDEX idx_waiting_by_order   ON webhook_events (merchant_order_ref) WHERE status = 'pending';
CREATE INDEX idx_waiting_by_attempt ON webhook_events (clink_order_ref)    WHERE status = 'pending';
CREATE INDEX idx_waiting_by_session ON webhook_events (clink_session_ref)  WHERE status = 'pending';

CREATE INDEX idx_waiting_since ON webhook_events (created_at) WHERE status = 'pending';

-- What a person must look at. The evidence is written once; only the status moves.
CREATE TABLE reconciliation_cases (
  dedupe_key        TEXT PRIMARY KEY,
  event_id          TEXT NOT NULL,
  merchant_order_id TEXT NOT NULL REFERENCES merchant_orders (id),
  clink_order_id    TEXT,
  refund_id         TEXT,
  reason            TEXT NOT NULL,
  evidence          JSONB NOT NULL CHECK (jsonb_typeof(evidence) = 'object'),
  status            TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'open', 'resolved')),
  created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at        TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE INDEX idx_cases_order ON reconciliation_cases (merchant_order_id);
CREATE INDEX idx_cases_unresolved ON reconciliation_cases (created_at) WHERE status <> 'resolved';

-- Side effects to come. A row is owned by whoever holds its claim token until the lease ends.
CREATE TABLE outbox (
  id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task           TEXT NOT NULL CHECK (task IN (
                   'fulfill', 'refund_reconcile', 'reprocess_webhook', 'reconcile_attempt', 'reconcile_session',
                   'apply_refund_policy', 'manual_reconciliation', 'page_outbox_failure')),
  event_id       TEXT NOT NULL,
  order_id       TEXT,
  clink_order_id TEXT,
  payload        JSONB NOT NULL DEFAULT '{}',
  dedupe_key     TEXT NOT NULL,
  status         TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'succeeded', 'failed')),
  attempt        INT NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  next_retry_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
  claim_token    TEXT,
  worker_id      TEXT,
  lease_until    TIMESTAMPTZ,
  -- Set when a worker takes the row over: a lease that runs out after this cost an attempt, before it did not.
  started_at     TIMESTAMPTZ,
  -- What the task waited for appeared while it was running: it must look once more before it may rest.
  woken          BOOLEAN NOT NULL DEFAULT FALSE,
  last_error     TEXT,
  created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- When a claimer should look at the row next; null for a finished one, so that history costs the claim nothing.
  due_at         TIMESTAMPTZ GENERATED ALWAYS AS (
                   CASE status WHEN 'pending' THEN next_retry_at WHEN 'processing' THEN lease_until END) STORED,
  CONSTRAINT uq_outbox_dedupe UNIQUE (dedupe_key),
  CONSTRAINT ck_outbox_payload_object CHECK (jsonb_typeof(payload) = 'object'),
  CONSTRAINT ck_outbox_lease_follows_status CHECK (
    CASE WHEN status = 'processing' THEN claim_token IS NOT NULL AND lease_until IS NOT NULL
         ELSE num_nonnulls(claim_token, worker_id, lease_until, started_at) = 0 END)
);

-- By task first: a task whose workers are all busy is passed over whole, however many of its rows are due.
CREATE INDEX idx_outbox_due ON outbox (task, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX idx_outbox_in_flight ON outbox (task, lease_until) WHERE status = 'processing';
CREATE INDEX idx_outbox_failed ON outbox (task, updated_at) WHERE status = 'failed';
CREATE INDEX idx_outbox_order ON outbox (order_id);

-- Why an order is in the state it is in: one row per decision, never changed.
CREATE TABLE order_journal (
  id                BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null while a decision could not name an order of ours.
  merchant_order_id TEXT REFERENCES merchant_orders (id),
  source            TEXT NOT NULL CHECK (source IN ('webhook', 'reprocess', 'order_answer', 'session_answer', 'refund_answer')),
  source_id         TEXT NOT NULL,
  clink_order_id    TEXT,
  outcome           TEXT NOT NULL CHECK (outcome IN ('done', 'deferred', 'manual_review')),
  reason            TEXT NOT NULL,
  payment_status_before TEXT,
  payment_status_after  TEXT,
  created_at        TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE INDEX idx_journal_order ON order_journal (merchant_order_id, id);
CREATE INDEX idx_journal_source ON order_journal (source_id);
