import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/**
 * The secrets that a person puts in: Clink issues two of them. Until then they hold random text, which opens nothing: no
 * webhook verifies and no call to Clink succeeds.
 */
export class ClinkSecrets extends Construct {
  /** ARNs, as the others. */
  readonly apiKey: string;
  readonly webhookSigning: string;
  readonly merchantSigning: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.apiKey = this.secret('ApiKey', 'Secret key of the Clink API');
    this.webhookSigning = this.secret('WebhookSigning', 'Signing secret of the Clink webhook endpoint');
    this.merchantSigning = this.secret(
      'MerchantSigning',
      'Signs the calls to the merchant endpoint (Standard Webhooks)',
    );
  }

  private secret(id: string, description: string): string {
    const secret = new Secret(this, id, {
      description,
      // 44 letters and digits are also valid base64, which the Standard Webhooks convention wants of a key.
      generateSecretString: { passwordLength: 44, excludePunctuation: true },
      // Taken back with the stack by mistake, a signing secret would have to be rotated at Clink.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The other side has to agree to a new value, so a person rotates it: docs/rotation.md says how, without a refused delivery.',
    });
    // The same as `secretArn` on AWS, which asks for it in a way that gives an emulator's functions the name instead.
    return (secret.node.defaultChild as CfnSecret).attrId;
  }
}
