import { importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';

export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export const CUSTOMERS: readonly Customer[] = [
  { id: 'customer-1', name: 'Customer One', email: 'one@shop.example' },
  { id: 'customer-2', name: 'Customer Two', email: 'two@shop.example' },
];

const ISSUER = 'https://identity.shop.example';
const AUDIENCE = 'demo-shop';
const LIFETIME = '30 days';

/** The demo shop's sign-in: who asks for a token gets one. */
export interface Identity {
  issueToken(customer: Customer): Promise<string>;
  /** The claims of a token of ours that is valid now; null for any other text. */
  verifyToken(token: string): Promise<JWTPayload | null>;
}

export async function openIdentity(privateJwk: JWK): Promise<Identity> {
  const privateKey = await importJWK(privateJwk, 'RS256');
  const { kty, n, e } = privateJwk;
  const publicKey = await importJWK({ kty, n, e } as JWK, 'RS256');
  return {
    issueToken: ({ id, email }) =>
      new SignJWT({ email })
        .setProtectedHeader({ alg: 'RS256' })
        .setSubject(id)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(LIFETIME)
        .sign(privateKey),
    verifyToken: (token) =>
      jwtVerify(token, publicKey, {
        issuer: ISSUER,
        audience: AUDIENCE,
        algorithms: ['RS256'],
        requiredClaims: ['exp', 'sub'],
      }).then(
        ({ payload }) => payload,
        () => null,
      ),
  };
}
