import { getOrder, session } from './api.js';
import { rememberedOrders } from './memory.js';
import { fulfillmentWords, money, wordsFor } from './wording.js';

const list = document.getElementById('orders');
const mine = rememberedOrders().filter(({ customerId }) => customerId === session.customerId);
document.getElementById('no-orders').hidden = mine.length > 0;

for (const { id } of mine) {
  const item = document.createElement('li');
  item.className = 'card';
  item.textContent = 'One moment…';
  list.append(item);
  getOrder(id).then(
    (order) => item.replaceChildren(...describe(order)),
    (error) => {
      item.textContent = error.message;
    },
  );
}

function describe(order) {
  const name = document.createElement('a');
  name.href = `/return?orderId=${encodeURIComponent(order.id)}`;
  name.textContent = order.product.name;
  const state = [wordsFor(order.display).headline, fulfillmentWords(order.fulfillmentStatus)].filter(Boolean);
  return [name, text('price', money(order.amount, order.currency)), text('soft', state.join(' · '))];
}

function text(className, content) {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = content;
  return span;
}
