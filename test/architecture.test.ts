import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TASK_NAMES } from '../functions/outbox/tasks.ts';
import { hopOf, type Import, pathsIn, ROOT, type SourceFile, sourcesIn } from './support/source-tree.ts';

const functions = sourcesIn('functions');
const everything = [...functions, ...sourcesIn('bin', 'lib', 'test')];

/** Places that break a rule, as `file: what`. */
function offences(files: readonly SourceFile[], find: (file: SourceFile) => Iterable<string>): string[] {
  return files.flatMap((file) => [...find(file)].map((what) => `${file.path}: ${what}`));
}

function matches(pattern: RegExp): (file: SourceFile) => Iterable<string> {
  return ({ code }) => code.matchAll(pattern).map(([match]) => match.trim());
}

function importsWhere(isWrong: (imported: Import, file: SourceFile) => boolean) {
  return (file: SourceFile) =>
    file.imports.filter((imported) => isWrong(imported, file)).map(({ specifier }) => specifier);
}

describe('imports', () => {
  /** What each hop may call, besides itself. The path of the data leads from left to right and never back. */
  const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
    http: ['flows', 'decisions', 'database', 'clink', 'platform'],
    workers: ['outbox', 'flows', 'database', 'clink', 'merchant', 'platform'],
    operations: ['decisions', 'database', 'platform'],
    outbox: ['decisions', 'database', 'platform'],
    flows: ['decisions', 'database', 'clink', 'merchant', 'platform'],
    database: ['decisions', 'platform'],
    clink: ['decisions', 'platform'],
    merchant: ['decisions', 'platform'],
    decisions: [],
    platform: [],
  };

  it('have a rule for every folder of functions/', () => {
    const folders = readdirSync(join(ROOT, 'functions'));
    expect(folders.sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  it('between the folders of functions/ point one way', () => {
    const wrong = importsWhere(({ target }, { path }) => {
      if (!target?.startsWith('functions/')) return false;
      return hopOf(target) !== hopOf(path) && !MAY_IMPORT[hopOf(path)]?.includes(hopOf(target));
    });
    expect(offences(functions, wrong)).toEqual([]);
  });

  it('of functions/ stay inside of functions/', () => {
    const wrong = importsWhere(({ target }) => target !== null && !target.startsWith('functions/'));
    expect(offences(functions, wrong)).toEqual([]);
  });

  it('of decisions/ are decimal.js and itself', () => {
    const decisions = functions.filter(({ path }) => hopOf(path) === 'decisions');
    const wrong = importsWhere(({ target, specifier }) => target === null && specifier !== 'decimal.js');
    expect(offences(decisions, wrong)).toEqual([]);
  });

  it('of the database and of Clink by http/ and workers/ only open them: statements and shapes are for flows/', () => {
    const files = functions.filter(({ path }) => /^functions\/(http|workers)\//.test(path));
    const allowed = /^functions\/(database\/(connection|open-database)|clink\/(client|wire))\.ts$/;
    const wrong = importsWhere(
      ({ target }) => /^functions\/(database|clink)\//.test(target ?? '') && !allowed.test(target ?? ''),
    );
    expect(offences(files, wrong)).toEqual([]);
  });

  it('of the AWS CDK are in the app and in lib/ alone', () => {
    const others = everything.filter(({ path }) => !/^(bin\/[^/]+\.ts|lib\/.*|test\/stack\/.*)$/.test(path));
    const wrong = importsWhere(({ specifier }) => /^(aws-cdk-lib|constructs|cdk-nag|@aws-cdk)\b/.test(specifier));
    expect(offences(others, wrong)).toEqual([]);
  });

  it('of the AWS SDK wait in functions/ until they are needed', () => {
    const wrong = importsWhere(({ kind, specifier }) => kind === 'value' && specifier.startsWith('@aws-sdk/'));
    expect(offences(functions, wrong)).toEqual([]);
  });

  it('name no package that looks right and is not', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const names = Object.keys({ ...dependencies, ...devDependencies });
    expect(names.filter((name) => name === 'middy' || name === '@middy/secrets-manager')).toEqual([]);
  });

  it('reach every file of functions/ from an entry', () => {
    const byPath = new Map(functions.map((file) => [file.path, file]));
    const reached = new Set(functions.map(({ path }) => path).filter((path) => path.endsWith('.lambda.ts')));
    for (const path of reached) {
      for (const { target } of byPath.get(path)?.imports ?? []) if (target !== null) reached.add(target);
    }
    expect(functions.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });
});

describe('SQL', () => {
  const STATEMENT =
    'SELECT|INSERT|UPDATE|DELETE|WITH|BEGIN|COMMIT|ROLLBACK|CREATE|ALTER|DROP|GRANT|TRUNCATE|SET|NOTIFY';
  const TAGGED = new RegExp(`[\\w>]\`\\s*(?:${STATEMENT})\\b|\\.unsafe\\(`, 'g');

  it('is written in functions/database/, in bin/local/database/ for the demo alone, and in tests', () => {
    const mayHold = /^(functions\/database\/|bin\/local\/database\/|test\/)/;
    const others = everything.filter(({ path }) => !mayHold.test(path));
    expect(offences(others, matches(TAGGED))).toEqual([]);
  });

  it('is found by this rule where it is', () => {
    const outbox = functions.filter(({ path }) => path === 'functions/database/outbox.ts');
    expect(offences(outbox, matches(TAGGED)).length).toBeGreaterThan(5);
  });
});

describe('entries', () => {
  const entries = functions.filter(({ path }) => path.endsWith('.lambda.ts'));

  it('are one screen', () => {
    const tooLong = entries.filter(({ text }) => text.split('\n').length > 46);
    expect(tooLong.map(({ path }) => path)).toEqual([]);
  });

  it('are imported by nobody: only npm start and tests load them, as AWS would', () => {
    const others = everything.filter(({ path }) => !/^(bin\/local|test)\//.test(path));
    const wrong = importsWhere(({ target }) => target?.endsWith('.lambda.ts') ?? false);
    expect(offences(others, wrong)).toEqual([]);
  });

  it('export their handler and nothing else', () => {
    const exported = (file: SourceFile) =>
      file.code.matchAll(/^export .*?\b(\w+)(?= =|\()/gm).map(([, name = '']) => name);
    for (const entry of entries) expect([entry.path, ...exported(entry)]).toEqual([entry.path, 'handler']);
  });
});

describe('tasks', () => {
  const names = [...TASK_NAMES].sort();
  const workers = functions.filter(({ path }) => /^functions\/workers\/.*\.lambda\.ts$/.test(path));

  function quoted(text: string | undefined): string[] {
    return [...(text ?? '').matchAll(/'(\w+)'/g)].map(([, name = '']) => name).sort();
  }

  it('are eight', () => {
    expect(names).toHaveLength(8);
  });

  it('have the names that decisions use', () => {
    const decision = functions.find(({ path }) => path === 'functions/decisions/decision.ts');
    expect(quoted(decision?.code.match(/export type TaskName =([^;]*);/)?.[1])).toEqual(names);
  });

  it('have one worker each, named as its file is', () => {
    const byFile = workers.map(({ path }) => path.replace(/^.*\/|\.lambda\.ts$/g, '').replaceAll('-', '_'));
    const byCall = workers.map(({ code }) => code.match(/taskWorker\([^']*'(\w+)'/)?.[1]);
    expect(byFile.sort()).toEqual(names);
    expect(byCall.sort()).toEqual(names);
    for (const { path, code } of workers) {
      expect(path.replaceAll('-', '_')).toContain(`/${code.match(/taskWorker\([^']*'(\w+)'/)?.[1]}.lambda.ts`);
    }
  });
});

describe('names', () => {
  it('of files and folders say what is inside', () => {
    const paths = ['bin', 'functions', 'lib', 'migrations', 'test'].flatMap(pathsIn);
    const vague = /(^|\/)(utils?|helpers?|common|shared|types?|misc)(\/|\.|$)/;
    expect(paths.filter((path) => vague.test(path))).toEqual([]);
  });

  it("call Clink's order clinkOrderId and ours merchantOrderId: a bare orderId is for Clink's wire shape", () => {
    const others = functions.filter(({ path }) => path !== 'functions/clink/wire.ts');
    // In quotes it is the name in the query of the shop's own address.
    expect(offences(others, matches(/(?<!['"`])\borderId\b(?!['"`]).*/g))).toEqual([]);
  });

  it('at the top level are those of the layout', () => {
    const layout = ['bin', 'lib', 'functions', 'migrations', 'test', 'docs', 'README.md', 'package.json', 'cdk.json'];
    const tools = ['package-lock.json', 'tsconfig.json', 'biome.json', 'vitest.config.ts'];
    const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
    const found = readdirSync(ROOT).filter(
      (name) => !name.startsWith('.') && !ignored.some((line) => line === name || line === `${name}/`),
    );
    expect(found.filter((name) => ![...layout, ...tools].includes(name))).toEqual([]);
  });
});

describe('what the compiler is told', () => {
  it('holds no any', () => {
    expect(offences(everything, matches(/(?:[:<,|(=]|\bas) ?any\b(?=[\s;,)>|[\]]|$)/gm))).toEqual([]);
  });

  it('holds no assertion that something is not null', () => {
    expect(offences(everything, matches(/[\w)\]]!(?=[.,;)\]}]|\[|$)(?!=).*/gm))).toEqual([]);
  });

  it('silences nothing without a reason', () => {
    const silenced = ({ text }: SourceFile) =>
      text.matchAll(/(?:@ts-\w+|(?:biome|eslint|v8|c8)-(?:ignore|disable)\b).*/g);
    const unreasoned = (file: SourceFile) =>
      silenced(file)
        .map(([match]) => match)
        .filter((match) => !/: \S+ \S+/.test(match));
    const others = everything.filter(({ path }) => path !== 'test/architecture.test.ts');
    expect(offences(others, unreasoned)).toEqual([]);
  });
});
