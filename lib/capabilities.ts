import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { ClinkSecrets } from './clink-secrets.ts';
import type { Configuration } from './configuration.ts';

/**
 * What a function may reach beyond its database: each capability is the address in its environment together with the one
 * permission that the address needs, so that neither is ever given without the other.
 */
export class Capabilities {
  readonly #configuration: Configuration;
  readonly #secrets: ClinkSecrets;
  readonly #wakeUps: IQueue;

  constructor(configuration: Configuration, secrets: ClinkSecrets, wakeUps: IQueue) {
    this.#configuration = configuration;
    this.#secrets = secrets;
    this.#wakeUps = wakeUps;
  }

  /** Call Clink's API. */
  clinkApi(user: LambdaFunction): void {
    user.addEnvironment('CLINK_API_URL', this.#configuration.clinkApiUrl);
    this.secret(user, 'CLINK_API_KEY_SECRET_ID', this.#secrets.apiKey);
  }

  /** Verify Clink's webhooks. */
  clinkWebhooks(user: LambdaFunction): void {
    const windowMs = Math.round(this.#configuration.replayWindowMinutes * 60_000);
    user.addEnvironment('REPLAY_WINDOW_MS', String(windowMs));
    this.secret(user, 'CLINK_WEBHOOK_SECRET_ID', this.#secrets.webhookSigning);
  }

  /** Call the merchant's endpoint. */
  merchantEndpoint(user: LambdaFunction): void {
    user.addEnvironment('MERCHANT_URL', this.#configuration.merchantUrl);
    this.secret(user, 'MERCHANT_SIGNING_SECRET_ID', this.#secrets.merchantSigning);
  }

  /** Tell the shopper's browser where to come back to. */
  shopPages(user: LambdaFunction): void {
    user.addEnvironment('SHOP_SUCCESS_URL', this.#configuration.successUrl);
    user.addEnvironment('SHOP_CANCEL_URL', this.#configuration.cancelUrl);
  }

  /** Start the claimer early. */
  wakeUps(user: LambdaFunction): void {
    user.addEnvironment('WAKE_UP_QUEUE_URL', this.#wakeUps.queueUrl);
    user.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.#wakeUps.queueArn] }));
  }

  private secret(user: LambdaFunction, variable: string, secretArn: string): void {
    user.addEnvironment(variable, secretArn);
    user.addEnvironment('PREVIOUS_SECRET_MS', String(Math.round(this.#configuration.previousSecretHours * 3_600_000)));
    user.addToRolePolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secretArn] }));
  }
}
