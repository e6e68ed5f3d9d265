/** The answer of an operator command as text: a heading and one line for each row, in columns that are wide enough. */
export function printed(answer: object): string {
  return Object.entries(answer)
    .map(([name, value]) =>
      Array.isArray(value) ? table(name, value as Record<string, unknown>[]) : `${name}: ${value}`,
    )
    .join('\n\n');
}

function table(name: string, rows: readonly Record<string, unknown>[]): string {
  if (rows.length === 0) return `${name}: none`;
  if (rows.length === 1 && rows[0]) return [name, ...Object.entries(rows[0]).map(line)].join('\n');
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => row[column] !== null));
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((each) => each[at]?.length ?? 0)));
  return [
    name,
    ...lines.map(
      (each) =>
        `  ${each
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}`,
    ),
  ].join('\n');
}

function line([column, value]: [string, unknown]): string {
  return `  ${column.padEnd(28)}${cell(value)}`.trimEnd();
}

function cell(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value === null || value === undefined ? '-' : String(value);
}
