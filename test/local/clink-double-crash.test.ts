import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  API_KEY,
  control,
  openSession,
  SIGNING_SECRET,
  startDouble,
  startReceiver,
  temporaryDatabase,
} from './clink-double-fixture.ts';

const SERVER = new URL('../../bin/local/clink-double/server.ts', import.meta.url).href;

/** Runs a double in a process of its own, whose webhooks reach nobody. */
async function startInProcess(
  databaseFile: string,
): Promise<{ url: string; kill: () => Promise<void>; stderr: () => string }> {
  const script = `
    import { startClinkDouble } from ${JSON.stringify(SERVER)};
    const { url } = await startClinkDouble({ port: 0, databaseFile: ${JSON.stringify(databaseFile)},
      webhookUrl: () => 'http://127.0.0.1:1/nobody', apiKeys: () => ['${API_KEY}'], signingSecret: () => '${SIGNING_SECRET}' });
    console.log(url);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [line] = await once(child.stdout, 'data');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: String(line).trim(), stderr: () => stderr, kill };
}

test('an answered payment and its webhooks outlive a SIGKILL', async () => {
  const databaseFile = await temporaryDatabase();
  const { url, kill, stderr } = await startInProcess(databaseFile);
  const killed = { url, close: async () => {} };
  const { sessionId } = await openSession(killed);
  const { orderId } = await control(killed, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  await kill();

  const merchant = await startReceiver();
  await startDouble({ databaseFile, webhookUrl: () => merchant.url, now: () => Date.now() + 10_000 });
  const webhooks = await merchant.received(3);
  expect(webhooks.map(({ type }) => type).sort()).toEqual(['order.created', 'order.succeeded', 'session.complete']);
  expect(webhooks.every(({ object }) => object.orderId === orderId)).toBe(true);
  expect(stderr()).toBe('');
});
