import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

test('count emits one metric at once, with the dimension that alarms look for', async () => {
  vi.stubEnv('METRICS_DISABLED', 'false');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { count } = await import('../../functions/platform/metrics.ts');
  count('WebhookUnreadable');
  const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    service: 'clink-merchant',
    WebhookUnreadable: 1,
    _aws: {
      CloudWatchMetrics: [
        {
          Namespace: 'ClinkMerchant',
          Dimensions: [['service']],
          Metrics: [{ Name: 'WebhookUnreadable', Unit: 'Count' }],
        },
      ],
    },
  });
});
