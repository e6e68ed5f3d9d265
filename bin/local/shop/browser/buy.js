import { buy, wireButton } from './checkout.js';

for (const button of document.querySelectorAll('button[data-product]')) {
  wireButton(button, button.parentElement.querySelector('.trouble'), () => buy(button.dataset.product));
}
