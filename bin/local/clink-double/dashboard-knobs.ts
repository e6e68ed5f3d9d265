import { type Html, html } from './html.ts';
import type { DeliveryKnobs } from './knobs.ts';

/** How webhooks are queued from now on. */
export function deliveryKnobs(knobs: DeliveryKnobs): Html {
  return html`<div><h3>Webhooks from now on</h3><form method="post" action="/dashboard/delivery">
${number('delay-ms', 'delayMs', 'Delay, ms', knobs.delayMs)}
${number('duplicates', 'duplicates', 'Extra copies', knobs.duplicates)}
${number('drop', 'drop', 'Lose the next', knobs.drop === true ? 0 : knobs.drop)}
${number('refund-status-delay-ms', 'refundStatusDelayMs', 'Refund to status, ms', knobs.refundStatusDelayMs)}
${check('drop-all', 'dropAll', 'Lose all', knobs.drop === true)}
${check('reorder', 'reorder', 'Reverse order', knobs.reorder)}
${check('equal-timestamps', 'equalTimestamps', 'Equal timestamps', knobs.equalTimestamps)}
<button id="save-delivery">Apply</button>
<button id="release-held" formaction="/dashboard/deliveries/release">Send held webhooks</button>
</form></div>`;
}

/** What the next API answers are like. */
export function troubleKnobs(scripted: number): Html {
  return html`<div><h3>Next API answers <span class="badge">${scripted} scripted</span></h3><form method="post" action="/dashboard/answers">
<label for="answers-kind">They are<select id="answers-kind" name="kind">
<option value="slow">slow</option><option value="failing">failing (500)</option><option value="lost">lost after the effect</option>
</select></label>
${number('answers-times', 'times', 'How many', 1)}
${number('answers-delay-ms', 'delayMs', 'If slow, by ms', 5000)}
<button id="save-answers">Apply</button>
<button id="clear-answers" formaction="/dashboard/answers/clear">Clear</button>
</form></div>`;
}

/** Replacing the keys that merchant and double share. */
export function rotationKnobs(): Html {
  return html`<div><h3>Keys</h3><form method="post">
<button id="rotate-signing-secret" formaction="/dashboard/rotate/signing-secret">Rotate signing secret</button>
<button id="rotate-api-key" formaction="/dashboard/rotate/api-key">Roll API key</button>
</form></div>`;
}

function number(id: string, name: string, label: string, value: number): Html {
  return html`<label for="${id}">${label}<input id="${id}" name="${name}" type="number" min="0" step="1" value="${value}"></label>`;
}

function check(id: string, name: string, label: string, checked: boolean): Html {
  return html`<label class="check" for="${id}"><input id="${id}" name="${name}" type="checkbox" ${checked && 'checked'}> ${label}</label>`;
}
