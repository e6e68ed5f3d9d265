import type { Call } from '../clink-double/http.ts';
import type { Customer } from '../identity.ts';

const COOKIE = 'customer';

/** Who the browser says it shops as; the first customer by default. */
export function visitorOf({ headers }: Call, customers: readonly Customer[]): Customer {
  const id = new RegExp(`(?:^|; *)${COOKIE}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
  const [first] = customers;
  const visitor = customers.find((customer) => customer.id === id) ?? first;
  if (visitor === undefined) throw new Error('the demo shop has no customers');
  return visitor;
}

export function visitorCookie(id: string): string {
  return `${COOKIE}=${encodeURIComponent(id)}; Path=/; HttpOnly; SameSite=Lax`;
}
