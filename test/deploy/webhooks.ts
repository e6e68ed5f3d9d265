import { clinkSignature } from '../http/payload.ts';

/** One delivery, as Clink signs it. */
export async function deliver(
  webhookUrl: string,
  body: string,
  signingSecret: string,
  { ageMs = 0 }: { ageMs?: number } = {},
): Promise<number> {
  const timestamp = String(Date.now() - ageMs);
  const answer = await fetch(webhookUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-clink-signtype': 'SHA256',
      'x-clink-timestamp': timestamp,
      'x-clink-signature': clinkSignature(signingSecret, timestamp, body),
    },
  });
  await answer.body?.cancel();
  return answer.status;
}
