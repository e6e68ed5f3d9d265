import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './command.ts';

/** Where the file-publishing role may only touch buckets of its own account. */
const OWN_ACCOUNT = /\n +Condition:\n +StringEquals:\n +aws:ResourceAccount:\n +- Fn::Sub: \$\{AWS::AccountId\}/g;

/**
 * The CDK's own bootstrap template without one condition: the emulator does not know `aws:ResourceAccount`, and refuses
 * whatever depends on it. Returns the template's path.
 */
export async function emulatedBootstrap(folder: string): Promise<string> {
  const original = join(ROOT, 'node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml');
  const text = await readFile(original, 'utf8');
  const file = join(folder, 'bootstrap-template.yaml');
  await writeFile(file, text.replace(OWN_ACCOUNT, ''));
  return file;
}
