import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printed } from '../../bin/ops/print-answer.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addOrder, addTask } from '../support/rows.ts';

const OPS = join(import.meta.dirname, '../../bin/ops/ops.ts');

let db: TestDatabase;
let folder: string;
beforeAll(async () => {
  db = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), 'ops-test-'));
});
afterAll(async () => {
  await db.drop();
  await rm(folder, { recursive: true });
});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function ops(typed: string[], env: Record<string, string> = { DATABASE_URL: db.appUrl }): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [OPS, ...typed], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

/** An `aws` that writes down how it was called and answers with this. */
async function fakeCli(answer: string, functionError: string): Promise<Record<string, string>> {
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/called\nfor last; do :; done\nprintf '%s' '${answer}' > "$last"\necho ${functionError}\n`;
  await writeFile(join(folder, 'aws'), script);
  await chmod(join(folder, 'aws'), 0o755);
  return { PATH: `${folder}${delimiter}${process.env.PATH}` };
}

describe('npm run ops', () => {
  it('works on the database at hand', async () => {
    const order = await addOrder(db.owner, { fulfillmentStatus: 'failed' });
    const id = await addTask(db.owner, { status: 'failed', attempt: 12, orderId: order, lastError: 'OutOfTime' });

    expect((await ops(['failed'])).stdout).toContain('OutOfTime');
    expect(await ops(['retry', String(id)])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('changed: true'),
    });
    expect(await ops(['retry', String(id)])).toMatchObject({ code: 1 });
    expect((await ops(['why', order])).stdout).toMatch(/fulfillmentStatus +pending/);
  });

  it('says what it can do', async () => {
    const { code, stderr } = await ops(['help']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^give why .* retry .* close .* resolve .* failed or stuck$/m);
  });

  it('has a deployed function do it', async () => {
    const env = await fakeCli('{"failed":[{"id":7,"task":"fulfill"}]}', 'None');
    expect(await ops(['--function', 'operate', 'failed'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/id +7/),
    });
    const called = (await readFile(join(folder, 'called'), 'utf8')).split('\n');
    expect(called.slice(0, 4)).toEqual(['lambda', 'invoke', '--function-name', 'operate']);
    expect(called).toContain('{"command":"failed"}');
  });

  it('says what a deployed function refused', async () => {
    const env = await fakeCli('{"errorMessage":"give why or retry"}', 'Unhandled');
    expect(await ops(['--function', 'operate', 'help'], env)).toMatchObject({ code: 2, stderr: 'give why or retry\n' });
  });
});

describe('an answer in print', () => {
  it('is a list of fields for one row, columns for several, and a word for none', () => {
    const rows = [
      { id: 1, task: 'fulfill', lastError: null },
      { id: 22, task: 'reconcile_session', lastError: null },
    ];
    expect(printed({ order: [{ id: 'mo_1', at: new Date(0) }], tasks: rows, cases: [] })).toBe(
      [
        'order',
        `  ${'id'.padEnd(28)}mo_1`,
        `  ${'at'.padEnd(28)}1970-01-01T00:00:00.000Z`,
        '',
        'tasks',
        '  id  task',
        '  1   fulfill',
        '  22  reconcile_session',
        '',
        'cases: none',
      ].join('\n'),
    );
  });
});
