/** A public key as JWK (RFC 7517, section 4), registered by the client or published at its `jwks_uri`. */
export type PublicKey = Readonly<Record<string, unknown>>

/** The algorithms with which clients sign assertions by a private key. */
export const assertionAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const

/** The members of a JWK that are secret (RFC 7518, section 6). A public key has none of them. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/**
 * The largest lengths in base64url of the modulus and exponent of an RSA key. They stand for 8192 and 64 bits. Longer values would slow
 * down every check of a signature.
 */
const longestModulus = 1_368
const longestExponent = 11

const text = (key: PublicKey, name: string): string => (typeof key[name] === 'string' ? key[name] : '')

/** Returns the problem of a key in a key set; undefined if there is none. A key of an unknown type has no problem, because it is ignored. */
export const keyProblem = (key: PublicKey): string | undefined => {
  const secret = privateMembers.find((name) => Object.hasOwn(key, name))
  if (secret !== undefined) return `has a private or symmetric key (member ${secret}): send public keys, and replace this one`
  if (typeof key['kty'] !== 'string') return 'has a key without kty'
  if (key['kty'] === 'oct') return 'has a symmetric key (kty oct): send public keys'
  if (text(key, 'n').length > longestModulus || text(key, 'e').length > longestExponent)
    return 'has an RSA key of more than 8192 bits, or with a huge exponent'
  return undefined
}

const kinds: Readonly<Record<string, (key: PublicKey) => boolean>> = {
  RSA: (key) => text(key, 'n').length >= 342 && text(key, 'e') !== '',
  EC: (key) => key['crv'] === 'P-256' && text(key, 'x') !== '' && text(key, 'y') !== '',
  OKP: (key) => key['crv'] === 'Ed25519' && text(key, 'x') !== '',
}

/** True for a key that can verify one of `assertionAlgs`. */
export const isSigningKey = (key: PublicKey): boolean =>
  keyProblem(key) === undefined &&
  (key['use'] ?? 'sig') === 'sig' &&
  (key['alg'] === undefined || (assertionAlgs as readonly unknown[]).includes(key['alg'])) &&
  ['kid', 'alg'].every((name) => key[name] === undefined || typeof key[name] === 'string') &&
  (kinds[text(key, 'kty')]?.(key) ?? false)
