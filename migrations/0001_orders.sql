-- What is sold. The price a shopper pays comes from here and from nowhere else.
CREATE TABLE products (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL CHECK (name <> ''),
  -- Minor units (cents), so that a price times a quantity is exact integer arithmetic.
  unit_amount  BIGINT NOT NULL CHECK (unit_amount > 0),
  currency     TEXT NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  active       BOOLEAN NOT NULL DEFAULT TRUE,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at   TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- One row per checkout of one shopper.
CREATE TABLE merchant_orders (
  id                 TEXT PRIMARY KEY,
  customer_id        TEXT NOT NULL,
  product_snapshot   JSONB NOT NULL,
  original_amount    NUMERIC(18,4) NOT NULL,
  original_currency  TEXT NOT NULL CHECK (original_currency ~ '^[A-Z]{3}$'),
  idempotency_key    TEXT,
  request_hash       TEXT,

  clink_session_id   TEXT,
  -- Carries an access token of Clink's: shown to its shopper, never logged.
  clink_checkout_url TEXT,
  -- While this lies in the future, one request is asking Clink for the session and the others wait for it.
  session_lease_until TIMESTAMPTZ,
  clink_session_status TEXT NOT NULL DEFAULT 'open' CHECK (clink_session_status IN ('open', 'completed', 'expired')),
  clink_session_last_event_created BIGINT,

  current_clink_order_id    TEXT,
  current_attempt_confirmed BOOLEAN NOT NULL DEFAULT FALSE,
  payment_status     TEXT NOT NULL DEFAULT 'created' CHECK (payment_status IN
    ('created', 'pending', 'action_required', 'payment_failed', 'paid', 'partial_refunded', 'refunded')),
  fulfillment_status TEXT NOT NULL DEFAULT 'none' CHECK (fulfillment_status IN ('none', 'pending', 'fulfilled', 'failed')),

  refundable_paid_clink_order_id TEXT,
  refundable_paid_amount         NUMERIC(18,4),
  refundable_paid_currency       TEXT CHECK (refundable_paid_currency ~ '^[A-Z]{3}$'),
  refunded_amount                NUMERIC(18,4) NOT NULL DEFAULT 0,

  -- The largest cumulative refund that the merchant's refund policy has been given, and the outbox claim that is giving
  -- it one now: two policy calls of one order never overlap, so an older amount cannot land after a newer one.
  applied_refund_amount NUMERIC(18,4) NOT NULL DEFAULT 0,
  refund_policy_claim   TEXT,

  created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at         TIMESTAMPTZ NOT NULL DEFAULT now(),

  -- A double click with one key is one order, also when both clicks arrive at once.
  CONSTRAINT uq_merchant_order_idempotency UNIQUE (customer_id, idempotency_key),
  CONSTRAINT ck_idempotency_pair CHECK ((idempotency_key IS NULL) = (request_hash IS NULL)),
  -- One Clink session belongs to one order, else an event's session could name two.
  CONSTRAINT uq_merchant_order_session UNIQUE (clink_session_id),
  CONSTRAINT ck_product_snapshot_object CHECK (jsonb_typeof(product_snapshot) = 'object'),
  CONSTRAINT ck_session_event_created CHECK (clink_session_last_event_created >= 0),
  -- The basis is written whole or not at all; half of one could be completed by a different payment.
  CONSTRAINT ck_refundable_payment_basis CHECK (
    num_nulls(refundable_paid_clink_order_id, refundable_paid_amount, refundable_paid_currency) IN (0, 3)),
  -- PostgreSQL sorts NaN above every number, so NaN passes "> 0"; money is finite or refused.
  CONSTRAINT ck_money_is_finite CHECK (
    original_amount > 0 AND original_amount < 'Infinity' AND original_amount <> 'NaN'
    AND refunded_amount >= 0 AND refunded_amount <> 'NaN'
    AND applied_refund_amount >= 0 AND applied_refund_amount <> 'NaN'
    -- A promotion may bring the total to zero: paid, delivered, and nothing to refund.
    AND (refundable_paid_amount IS NULL OR (refundable_paid_amount >= 0 AND refundable_paid_amount <> 'NaN'))),
  CONSTRAINT ck_refunds_within_basis CHECK (refunded_amount <= COALESCE(refundable_paid_amount, 0)),
  CONSTRAINT ck_money_status_has_basis CHECK (
    payment_status NOT IN ('paid', 'partial_refunded', 'refunded') OR refundable_paid_clink_order_id IS NOT NULL)
);

CREATE INDEX idx_merchant_orders_customer ON merchant_orders (customer_id, created_at DESC);

-- One row per Clink order, that is: per try to pay.
CREATE TABLE payment_attempts (
  clink_order_id     TEXT PRIMARY KEY,
  merchant_order_id  TEXT NOT NULL REFERENCES merchant_orders (id),
  clink_session_id   TEXT NOT NULL,
  status             TEXT NOT NULL CHECK (status IN ('pending', 'action_required', 'succeeded', 'failed')),
  -- Milliseconds, from order.created's envelope alone: nothing else at Clink says when an attempt began.
  attempt_created_at BIGINT CHECK (attempt_created_at >= 0),
  last_event_created BIGINT NOT NULL CHECK (last_event_created >= 0),
  failure_code       TEXT,
  failure_message    TEXT,
  received_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
  CONSTRAINT uq_payment_attempt_owner UNIQUE (merchant_order_id, clink_order_id)
);

-- Pointers carry their owner, so an order can never point at another order's attempt.
ALTER TABLE merchant_orders
  ADD CONSTRAINT fk_current_attempt_owner FOREIGN KEY (id, current_clink_order_id)
    REFERENCES payment_attempts (merchant_order_id, clink_order_id),
  ADD CONSTRAINT fk_refundable_attempt_owner FOREIGN KEY (id, refundable_paid_clink_order_id)
    REFERENCES payment_attempts (merchant_order_id, clink_order_id);

-- One row per successful refund, written once; the application role may not change or delete it.
CREATE TABLE refunds (
  refund_id         TEXT PRIMARY KEY,
  merchant_order_id TEXT NOT NULL REFERENCES merchant_orders (id),
  clink_order_id    TEXT NOT NULL,
  amount            NUMERIC(18,4) NOT NULL CHECK (amount > 0 AND amount <> 'NaN' AND amount < 'Infinity'),
  currency          TEXT NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  status            TEXT NOT NULL DEFAULT 'success' CHECK (status = 'success'),
  first_event_id    TEXT NOT NULL,
  created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
  CONSTRAINT fk_refund_attempt_owner FOREIGN KEY (merchant_order_id, clink_order_id)
    REFERENCES payment_attempts (merchant_order_id, clink_order_id)
);

CREATE INDEX idx_refunds_order ON refunds (merchant_order_id);
