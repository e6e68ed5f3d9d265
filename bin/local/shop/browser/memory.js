/** What this browser remembers of its orders: which product, and the key under which the checkout was made. */

const NAME = 'orders';

/** @returns {{ id: string, customerId: string, productId: string, key: string }[]} newest first */
export function rememberedOrders() {
  try {
    return JSON.parse(localStorage.getItem(NAME) ?? '[]');
  } catch {
    return [];
  }
}

export function findOrder(id) {
  return rememberedOrders().find((order) => order.id === id);
}

export function rememberOrder(order) {
  const others = rememberedOrders().filter(({ id }) => id !== order.id);
  localStorage.setItem(NAME, JSON.stringify([order, ...others].slice(0, 50)));
}
