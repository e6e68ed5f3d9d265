import { describe, expect, it } from 'vitest';
import { displayOf } from '../../functions/decisions/display.ts';
import type { AttemptStatus, PaymentStatus, SessionStatus } from '../../functions/decisions/order.ts';

const SESSIONS = ['open', 'completed', 'expired'] as const;

describe('what the return page says', () => {
  it.each<[string, PaymentStatus, SessionStatus, AttemptStatus[]]>([
    ['confirming', 'created', 'open', []],
    ['confirming', 'pending', 'open', []],
    ['confirming', 'pending', 'open', ['pending']],
    ['confirming', 'pending', 'completed', []],
    ['confirming', 'pending', 'completed', ['pending']],
    ['confirming', 'pending', 'open', ['failed']],
    ['confirming', 'pending', 'open', ['succeeded']],
    // A slow payment method may succeed after its session has ended.
    ['confirming', 'pending', 'expired', ['pending']],
    ['confirming', 'pending', 'expired', ['failed', 'succeeded']],
    ['confirming', 'payment_failed', 'expired', ['failed', 'pending']],
    ['confirming', 'payment_failed', 'completed', ['failed']],
    ['action_required', 'action_required', 'open', ['action_required']],
    ['action_required', 'action_required', 'expired', ['failed', 'action_required']],
    ['failed_try_again', 'payment_failed', 'open', ['failed']],
    ['failed_try_again', 'payment_failed', 'open', ['failed', 'failed']],
    ['expired', 'created', 'expired', []],
    ['expired', 'pending', 'expired', []],
    ['expired', 'pending', 'expired', ['failed']],
    ['expired', 'payment_failed', 'expired', ['failed']],
  ])('%s while %s, session %s, attempts %j', (display, paymentStatus, sessionStatus, statuses) => {
    const attempts = statuses.map((status) => ({ status }));
    expect(displayOf(paymentStatus, sessionStatus, attempts)).toBe(display);
  });

  it.each([
    ['paid', 'paid'],
    ['partial_refunded', 'partially_refunded'],
    ['refunded', 'refunded'],
  ] as const)('%s is %s, however the session and the attempts ended', (paymentStatus, display) => {
    for (const session of SESSIONS) {
      for (const status of ['succeeded', 'failed', 'pending', 'action_required'] as const) {
        expect(displayOf(paymentStatus, session, [{ status }])).toBe(display);
      }
    }
  });
});
