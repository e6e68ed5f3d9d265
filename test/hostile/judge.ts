import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { payload } from '../http/payload.ts';
import { faultOfJsonAnswer, faultOfWebhookAnswer } from './answers.ts';
import {
  arriving,
  type CheckoutPlan,
  encode,
  type LookupPlan,
  type Plan,
  transport,
  type WebhookPlan,
} from './requests.ts';
import { isAuthentic, sign } from './signatures.ts';
import type { RowCounts, Stage } from './stage.ts';
import { faultOfLine } from './watch.ts';

/** A request broke a promise; the message says which. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Sends what is planned and throws a `Violation` unless all promises hold. Returns the kind of request and its answer. */
export async function judge(stage: Stage, plan: Plan): Promise<string> {
  const before = await stage.count();
  // What an earlier request left, which broke a promise and was not looked at to its end, is not this one's.
  stage.watch.take();
  const { status, signature } = await judgeAnswer(stage, plan, before);
  const { lines, rejections } = stage.watch.take();
  const faults = lines.map((line) => faultOfLine(line, signature)).filter((fault) => fault !== null);
  if (faults[0] !== undefined) throw new Violation(faults[0]);
  if (rejections.length > 0) throw new Violation(`unhandled rejection: ${String(rejections[0])}`);
  return `${plan.to} ${status}`;
}

async function judgeAnswer(stage: Stage, plan: Plan, before: RowCounts) {
  switch (plan.to) {
    case 'webhook':
      return judgeWebhook(stage, plan, before);
    case 'checkout':
      return judgeCheckout(stage, plan, before);
    case 'lookup':
      return judgeLookup(stage, plan, before);
  }
}

const LARGEST_WEBHOOK = 262_144;

async function judgeWebhook(stage: Stage, plan: WebhookPlan, before: RowCounts) {
  const bytes = encode({ ...plan.body, text: stage.fill(plan.body.text) });
  const now = Date.now();
  const signed = sign(plan.signing, bytes, now);
  const named = { 'x-clink-signtype': signed.signType, 'x-clink-timestamp': signed.timestamp };
  const own = Object.entries({ ...named, 'x-clink-signature': signed.signature });
  const entries = own.flatMap(([name, value]) => (value === undefined ? [] : [[spelt(name, plan.spelling), value]]));
  const headers = Object.fromEntries([...entries, ...plan.headers]) as Record<string, string>;
  const carried = transport(plan.body, bytes);

  const request = payload({ headers, ...carried });
  const { status, body } = await stage.send.webhook(request);
  const fault = faultOfWebhookAnswer(status, body);
  if (fault) throw new Violation(fault);

  const arrived = arriving(carried);
  const expected = expectedStatus(arrived, authenticity(headers, arrived, now));
  if (expected !== null && !expected.includes(status)) throw new Violation(`expected ${expected}, answered ${status}`);
  if (status === 200) {
    await demandStored(stage, arrived);
    await demandNoEffectOfReplay(stage, request);
  } else await demandUnchanged(stage, before, `a webhook answered ${status}`);
  return { status, signature: signed.signature };
}

function spelt(name: string, spelling: WebhookPlan['spelling']): string {
  if (spelling === 'lower') return name;
  return spelling === 'upper' ? name.toUpperCase() : name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** `some` when a header came under two spellings and it depends on which of them counts. */
function authenticity(headers: Record<string, string>, bytes: Uint8Array, now: number): 'all' | 'some' | 'none' {
  const values = (name: string) => {
    const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
    return found.length === 0 ? [undefined] : found.map(([, value]) => value);
  };
  const verdicts = values('x-clink-signtype').flatMap((signType) =>
    values('x-clink-timestamp').flatMap((timestamp) =>
      values('x-clink-signature').map((signature) => isAuthentic({ signType, timestamp, signature }, bytes, now)),
    ),
  );
  return verdicts.every(Boolean) ? 'all' : verdicts.some(Boolean) ? 'some' : 'none';
}

function expectedStatus(bytes: Buffer, authentic: 'all' | 'some' | 'none'): readonly number[] {
  if (bytes.length > LARGEST_WEBHOOK) return [413];
  if (authentic === 'none') return [401];
  const readable = { yes: [200], no: [400], depends: [200, 400] }[readability(bytes)];
  return authentic === 'all' ? readable : [401, ...readable];
}

/** Deeper nesting than this may or may not be read: that is a matter of the stack. */
const CERTAIN_DEPTH = 500;

function readability(bytes: Buffer): 'yes' | 'no' | 'depends' {
  const text = utf8(bytes);
  if (text === null) return 'no';
  if (depthOf(text) > CERTAIN_DEPTH) return 'depends';
  const fields = envelope(text);
  return fields !== null && isUsable(fields.id) && isUsable(fields.type) ? 'yes' : 'no';
}

function utf8(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

/** The envelope with its numbers as they are written; null when the text is not a JSON object. */
function envelope(text: string): { id?: unknown; type?: unknown } | null {
  try {
    const read = JSON.parse(text.replace(/^\ufeff/, ''), (_name, value, { source }) =>
      typeof value === 'number' ? source : value,
    );
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : null;
  } catch {
    return null;
  }
}

function isUsable(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 255) return false;
  return value.trim() !== '' && value.trim().toLowerCase() !== 'null';
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

async function demandStored(stage: Stage, bytes: Buffer): Promise<void> {
  const text = bytes.toString('utf8');
  const fields = envelope(text);
  // Nested as deep as this stack cannot follow, but the other one could.
  if (fields === null && depthOf(text) > CERTAIN_DEPTH) return;
  const id = String(fields?.id).trim().replaceAll('\0', '\ufffd').toWellFormed();
  const { rows, isBody } = await stage.stored(id, text);
  if (rows !== 1) throw new Violation(`an accepted event is stored ${rows} times`);
  if (id.startsWith('event_hostile_') && !isBody) throw new Violation('an event is stored with another body');
}

async function demandNoEffectOfReplay(stage: Stage, request: APIGatewayProxyEventV2): Promise<void> {
  const before = await stage.count();
  const { status } = await stage.send.webhook(request);
  if (status !== 200) throw new Violation(`a replay was answered ${status}`);
  await demandUnchanged(stage, before, 'a replay was accepted');
}

async function demandUnchanged(stage: Stage, before: RowCounts, what: string): Promise<void> {
  const after = await stage.count();
  if (JSON.stringify(after) !== JSON.stringify(before)) {
    throw new Violation(`${what} and left rows: ${JSON.stringify({ before, after })}`);
  }
}

async function judgeCheckout(stage: Stage, plan: CheckoutPlan, before: RowCounts) {
  const carried = transport(plan.body, encode({ ...plan.body, text: stage.fill(plan.body.text) }));
  const { status, body } = await stage.send.checkout(withClaims(plan, { ...carried }));
  const fault = faultOfJsonAnswer(status, body);
  if (fault) throw new Violation(fault);
  if (status !== 200) await demandUnchanged(stage, before, `a checkout answered ${status}`);
  else demandGoodCheckout(plan, arriving(carried), body);
  return { status, signature: undefined };
}

function demandGoodCheckout({ claims }: CheckoutPlan, bytes: Buffer, body: string): void {
  const asked = JSON.parse(bytes.toString('utf8')) as { productId?: unknown; quantity?: unknown };
  const names = Object.keys(asked).sort().join();
  const { quantity } = asked;
  const isQuantity = typeof quantity === 'number' && Number.isInteger(quantity) && quantity >= 1 && quantity <= 100;
  if (names !== 'productId,quantity' || asked.productId !== 'poster' || !isQuantity) {
    throw new Violation('a checkout was started by a body that does not ask for one');
  }
  if (typeof claims?.sub !== 'string') throw new Violation('a checkout was started by nobody');
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (Object.keys(answer).sort().join() !== 'checkoutUrl,merchantOrderId') throw new Violation(`answered ${body}`);
}

async function judgeLookup(stage: Stage, plan: LookupPlan, before: RowCounts) {
  const id = plan.pathParameters?.id === undefined ? undefined : stage.fill(plan.pathParameters.id);
  const pathParameters = id === undefined ? plan.pathParameters : { id };
  const carried = transport(plan.body, encode(plan.body));
  const { status, body } = await stage.send.lookup(
    withClaims(plan, { ...carried, ...(pathParameters && { pathParameters }) }),
  );
  const fault = faultOfJsonAnswer(status, body);
  if (fault) throw new Violation(fault);
  await demandUnchanged(stage, before, 'an order was looked at');
  if (status === 200 && (plan.claims?.sub !== 'customer_1' || (JSON.parse(body) as { id?: unknown }).id !== id)) {
    throw new Violation('an order was shown to somebody else');
  }
  return { status, signature: undefined };
}

function withClaims(plan: CheckoutPlan | LookupPlan, changes: Partial<APIGatewayProxyEventV2>): APIGatewayProxyEventV2 {
  const { requestContext, ...request } = payload({ headers: Object.fromEntries(plan.headers), ...changes });
  const authorizer = { principalId: '', integrationLatency: 0, jwt: { claims: plan.claims, scopes: [] } };
  return { ...request, requestContext: { ...requestContext, ...(plan.claims && { authorizer }) } };
}
