import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../local/problem.ts';
import { invocation, type Typed } from './arguments.ts';

/** Has the deployed function answer, by the AWS CLI and its credentials. Throws `Problem`. */
export function answerOfFunction(asked: Typed): object {
  const folder = mkdtempSync(join(tmpdir(), 'ops-'));
  try {
    const file = join(folder, 'answer.json');
    const { status, stdout } = spawnSync('aws', invocation(asked, file), { stdio: ['ignore', 'pipe', 'inherit'] });
    if (status !== 0) throw new Problem('the AWS CLI did not reach the function');
    const answer = JSON.parse(readFileSync(file, 'utf8')) as { errorMessage?: string };
    // What the function threw stands where its answer would.
    if (stdout.toString().trim() !== 'None') throw new Problem(String(answer.errorMessage));
    return answer;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
