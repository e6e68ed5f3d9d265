import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  type CfnStage,
  CorsHttpMethod,
  HttpApi,
  type HttpMethod,
  type IHttpRouteAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Configuration } from './configuration.ts';

export interface PaymentsApiProps {
  readonly createCheckout: IFunction;
  readonly getOrder: IFunction;
  readonly clinkWebhook: IFunction;
  readonly configuration: Configuration;
}

/** Requests per second and burst of each route: what one small shop needs many times over, and what an attacker gets. */
const THROTTLES = {
  'POST /api/checkout/create': { throttlingRateLimit: 20, throttlingBurstLimit: 40 },
  'GET /api/orders/{id}': { throttlingRateLimit: 100, throttlingBurstLimit: 200 },
  // Clink retries what it is refused, so this is only a lid on a flood.
  'POST /api/webhooks/clink': { throttlingRateLimit: 200, throttlingBurstLimit: 400 },
} as const;

/** Ids and codes; a query string, a header or a body never. */
const ACCESS_LOG = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  integrationError: '$context.integrationErrorMessage',
  ip: '$context.identity.sourceIp',
});

/** The three endpoints. The two JSON routes want a customer's token; Clink proves itself by its signature instead. */
export class PaymentsApi extends Construct {
  readonly api: HttpApi;

  constructor(scope: Construct, id: string, props: PaymentsApiProps) {
    super(scope, id);
    const { jwtIssuer, jwtAudience, shopOrigin } = props.configuration;
    this.api = new HttpApi(this, 'Api', {
      description: 'Checkout, order status and Clink webhooks',
      corsPreflight: {
        allowOrigins: [shopOrigin],
        allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST],
        allowHeaders: ['authorization', 'content-type', 'idempotency-key'],
        maxAge: Duration.hours(1),
      },
    });
    const customers = new HttpJwtAuthorizer('Customers', jwtIssuer, { jwtAudience: [...jwtAudience] });
    this.route('POST /api/checkout/create', props.createCheckout, customers);
    this.route('GET /api/orders/{id}', props.getOrder, customers);
    this.route('POST /api/webhooks/clink', props.clinkWebhook);
    this.limitAndLog();
  }

  private route(route: keyof typeof THROTTLES, target: IFunction, authorizer?: IHttpRouteAuthorizer): void {
    const [method, path] = route.split(' ') as [HttpMethod, string];
    const integration = new HttpLambdaIntegration(`${target.node.id}Integration`, target);
    const routes = this.api.addRoutes({ path, methods: [method], integration, ...(authorizer && { authorizer }) });
    if (authorizer) return;
    for (const route of routes) {
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'Clink has no token of ours: the function verifies its HMAC signature over the raw body before anything else.',
      });
    }
  }

  private limitAndLog(): void {
    const logs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = this.api.defaultStage?.node.defaultChild as CfnStage;
    stage.accessLogSettings = { destinationArn: logs.logGroupArn, format: ACCESS_LOG };
    stage.defaultRouteSettings = { throttlingRateLimit: 100, throttlingBurstLimit: 200 };
    stage.routeSettings = Object.fromEntries(
      Object.entries(THROTTLES).map(([route, limits]) => [
        route,
        {
          ThrottlingRateLimit: limits.throttlingRateLimit,
          ThrottlingBurstLimit: limits.throttlingBurstLimit,
        },
      ]),
    );
    // CloudFormation must have made the routes before the stage can limit them.
    for (const child of this.api.node.findAll()) {
      if (child.node.defaultChild?.constructor.name === 'CfnRoute') stage.node.addDependency(child);
    }
  }
}
