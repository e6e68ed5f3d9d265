import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { closeServer } from '../../bin/local/close-server.ts';

/** Where the shop's customers sign in: an OpenID Connect issuer with a discovery document and its keys. */
export interface SignIn {
  readonly issuer: string;
  readonly audience: string;
  tokenFor(customerId: string, changes?: { issuer?: string; audience?: string; expires?: string }): Promise<string>;
  close(): Promise<void>;
}

export async function openSignIn(): Promise<SignIn> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' };
  const audience = 'shop';
  let issuer = '';
  const documents: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({ issuer, jwks_uri: `${issuer}/keys` }),
    '/keys': () => ({ keys: [jwk] }),
  };
  const server = createServer(({ url = '' }, response) => {
    const document = documents[url];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document?.() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    audience,
    tokenFor: (customerId, changes = {}) =>
      new SignJWT({ email: `${customerId}@shop.example` })
        .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
        .setSubject(customerId)
        .setIssuer(changes.issuer ?? issuer)
        .setAudience(changes.audience ?? audience)
        .setIssuedAt()
        .setExpirationTime(changes.expires ?? '1 hour')
        .sign(privateKey),
    close: () => closeServer(server),
  };
}
