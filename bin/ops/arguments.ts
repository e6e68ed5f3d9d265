/** One command as the operator typed it, and where it is to run. */
export interface Typed {
  readonly request: { readonly command: string; readonly id?: string };
  /** Name of a deployed function; null for the database at hand. */
  readonly functionName: string | null;
}

/** Reads `[--function NAME] COMMAND [ID]`. What the commands are is for the functions to say. */
export function readArguments(typed: readonly string[]): Typed {
  const at = typed.indexOf('--function');
  const functionName = at < 0 ? null : (typed[at + 1] ?? null);
  const [command = '', id] = at < 0 ? typed : typed.toSpliced(at, 2);
  return { request: { command, ...(id !== undefined && { id }) }, functionName };
}

/** The arguments of `aws` that have the deployed function do it and write its answer to a file. */
export function invocation({ request, functionName }: Typed, answerFile: string): string[] {
  return [
    'lambda',
    'invoke',
    '--function-name',
    functionName ?? '',
    '--cli-binary-format',
    'raw-in-base64-out',
    '--payload',
    JSON.stringify(request),
    '--query',
    'FunctionError',
    '--output',
    'text',
    answerFile,
  ];
}
