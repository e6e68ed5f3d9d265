import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';

/** The AWS that this run talks to: parts of this process, or an endpoint such as LocalStack. */
export interface Aws {
  readonly sqsUrl: string;
  readonly secretsManagerUrl: string;
  readonly region: string;
}

/** What the SDK reads in the functions. Credentials that a local endpoint does not check stand in for missing ones. */
export function awsEnvironment({ sqsUrl, secretsManagerUrl, region }: Aws): Record<string, string> {
  const { AWS_ACCESS_KEY_ID = 'local', AWS_SECRET_ACCESS_KEY = 'local' } = process.env;
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    AWS_ENDPOINT_URL_SQS: sqsUrl,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManagerUrl,
  };
}

export function sqsClient(aws: Aws): SQSClient {
  return new SQSClient({ region: aws.region, endpoint: aws.sqsUrl, credentials: credentialsOf(aws) });
}

export function secretsClient(aws: Aws): SecretsManagerClient {
  return new SecretsManagerClient({
    region: aws.region,
    endpoint: aws.secretsManagerUrl,
    credentials: credentialsOf(aws),
  });
}

function credentialsOf(aws: Aws): { accessKeyId: string; secretAccessKey: string } {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = awsEnvironment(aws);
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
}
