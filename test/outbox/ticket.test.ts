import { expect, it } from 'vitest';
import { readTicket, writeTicket } from '../../functions/outbox/ticket.ts';

it('a ticket survives its way through a queue', () => {
  const ticket = { taskId: 7, claimToken: 'token', eventId: 'event_1' };
  expect(readTicket(writeTicket(ticket))).toEqual(ticket);
});

it.each([undefined, 7, {}, 'with blanks and a secret'])(
  'an event id of %j is none, and the ticket is good all the same',
  (eventId) => {
    const text = JSON.stringify({ taskId: 7, claimToken: 'token', eventId });
    expect(readTicket(text)).toEqual({ taskId: 7, claimToken: 'token', eventId: eventId === 7 ? '7' : null });
  },
);

it.each([
  '',
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  '{"taskId":7}',
  '{"taskId":"7","claimToken":"token"}',
  '{"taskId":7.5,"claimToken":"token"}',
  '{"taskId":9007199254740993,"claimToken":"token"}',
  '{"taskId":7,"claimToken":""}',
  '{"taskId":7,"claimToken":null}',
  '{"taskId":7,"claimToken":"token"',
])('%j is no ticket', (text) => {
  expect(readTicket(text)).toBeNull();
});
