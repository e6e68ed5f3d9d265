import type { Fault, Faults } from './fault.ts';
import type { MessageTrouble, Queues } from './queues.ts';
import type { Randomness } from './randomness.ts';

/** What happens to the next messages, tickets and wake-ups alike, and to those that wait. */
export function queueFaults(queues: Queues, randomness: Randomness): Faults {
  const next = (kind: MessageTrouble, most: number): Fault => ({
    kind: `messages ${kind}`,
    async strike() {
      const times = randomness.whole(1, most);
      queues.troubleNext(kind, times, () => randomness.whole(0, 8));
      return times;
    },
  });
  return [
    next('lost', 8),
    next('doubled', 8),
    next('held back', 8),
    next('refused', 6),
    { kind: 'queues emptied', strike: () => queues.purge() },
  ];
}
