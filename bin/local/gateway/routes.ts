export interface Route {
  /** As API Gateway writes it. */
  readonly key: string;
  readonly lambda: string;
  readonly needsToken: boolean;
}

export const ROUTES: readonly Route[] = [
  { key: 'POST /api/checkout/create', lambda: 'create-checkout', needsToken: true },
  { key: 'GET /api/orders/{id}', lambda: 'get-order', needsToken: true },
  { key: 'POST /api/webhooks/clink', lambda: 'clink-webhook', needsToken: false },
];

/** The route of a request, with its path parameters decoded. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; pathParameters: Record<string, string> } | null {
  for (const route of routes) {
    const [routeMethod, pattern = ''] = route.key.split(' ');
    const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const match = routeMethod === method && new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
    if (!match) continue;
    const values = match.slice(1).map(decode);
    return { route, pathParameters: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])) };
  }
  return null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
