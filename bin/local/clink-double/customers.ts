import { Refusal } from './refusal.ts';
import { newId, type World } from './world.ts';

/** How a request names its customer. */
export interface CustomerIdentifiers {
  customerId: string | undefined;
  email: string | undefined;
  reference: string | undefined;
}

export interface Customer {
  id: string;
  email: string | null;
  reference: string | null;
}

/** HTTP 200 with a code of its own is how Clink reports a business error. */
const BUSINESS_ERROR = 200;

/**
 * Finds the customer that all given identifiers agree on, binds those that are new to it, or creates one.
 * Refuses with `CUSTOMER_NOT_FOUND` or `CUSTOMER_IDENTIFIER_NOT_MATCHED`, as Clink's documentation names them.
 */
export function resolveCustomer(world: World, given: CustomerIdentifiers): Customer {
  const { customerId, email, reference } = given;
  if ((customerId ?? email ?? reference) === undefined) throw new Refusal(BUSINESS_ERROR, 'CUSTOMER_NOT_FOUND');
  const found = findCustomers(world, given);
  const [customer = { id: newId(world, 'cus'), email: null, reference: null }, ...others] = found;
  if (customerId !== undefined && customer.id !== customerId) throw new Refusal(BUSINESS_ERROR, 'CUSTOMER_NOT_FOUND');
  const agreed = agrees(customer.email, email) && agrees(customer.reference, reference) && others.length === 0;
  if (!agreed) throw new Refusal(BUSINESS_ERROR, 'CUSTOMER_IDENTIFIER_NOT_MATCHED');
  return saveCustomer(world, {
    id: customer.id,
    email: customer.email ?? email ?? null,
    reference: customer.reference ?? reference ?? null,
  });
}

function agrees(stored: string | null, given: string | undefined): boolean {
  return stored === null || given === undefined || stored === given;
}

function findCustomers(world: World, { customerId, email, reference }: CustomerIdentifiers): Customer[] {
  const rows = world.database
    .prepare(
      'SELECT id, email, reference FROM customers WHERE id = ?1 OR email = ?2 OR reference = ?3 ORDER BY id <> ?1',
    )
    .all(customerId ?? null, email ?? null, reference ?? null);
  return rows as unknown as Customer[];
}

function saveCustomer(world: World, customer: Customer): Customer {
  world.database
    .prepare(
      `INSERT INTO customers (id, email, reference) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET email = excluded.email, reference = excluded.reference`,
    )
    .run(customer.id, customer.email, customer.reference);
  return customer;
}
