import { vi } from 'vitest';

/** One value in CloudWatch's embedded metric format, as a function's log line carries it. */
export interface EmbeddedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Line {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [field: string]: unknown;
}

/** Runs `work` with metrics switched on and returns what CloudWatch would read from its log. */
export async function embeddedMetrics(work: () => Promise<void>): Promise<EmbeddedMetric[]> {
  vi.stubEnv('METRICS_DISABLED', 'false');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const lines: string[] = [];
  try {
    await work();
    lines.push(...write.mock.calls.map(([line]) => String(line)));
  } finally {
    write.mockRestore();
    vi.unstubAllEnvs();
  }
  return lines.flatMap((line) => read(JSON.parse(line) as Line));
}

function read(line: Line): EmbeddedMetric[] {
  return line._aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions: sets, Metrics: metrics }) =>
    sets.flatMap((set) =>
      metrics.map(({ Name: name }) => ({
        namespace,
        name,
        dimensions: Object.fromEntries(set.map((dimension) => [dimension, String(line[dimension])])),
        value: Number(line[name]),
      })),
    ),
  );
}
