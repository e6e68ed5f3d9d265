import { defineConfig } from 'vitest/config';
import settings from '../../vitest.config.ts';

/** `npm run test:localstack`: the tests that speak to SQS and Secrets Manager, against LocalStack. */
export default defineConfig({
  test: {
    ...settings.test,
    include: [
      'test/outbox/{queues,workers,claim-due,run-task,refund-policy}.test.ts',
      'test/platform/{secrets,local-secrets-manager,rotation}.test.ts',
    ],
    // The cheaper first: without LocalStack there is no need for a database.
    globalSetup: ['test/localstack/global-setup.ts', 'test/support/global-setup.ts'],
  },
});
