import { createRemoteJWKSet, customFetch, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../../../core/clock.ts'
import { safeEqual, sha256 } from '../../../../core/crypto.ts'
import { parseExactJson } from '../../../../core/exact-json.ts'
import type { Outbound } from '../../../../core/fetch.ts'

/** Accepted algorithms: only signatures with a key pair, because the provider and the client share the secret of an HMAC. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const toleranceSeconds = 15
const longestSeconds = 3600

/** The claims of a verified ID token, numbers with all digits. */
export const claimsIn = (idToken: string): JWTPayload =>
  parseExactJson(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8')) as JWTPayload

/** A time after which the verified ID token is certainly refused. */
export const endOfUse = (idToken: string, now: Date): Date => {
  const { exp = Number.POSITIVE_INFINITY } = decodeJwt(idToken)
  const latest = now.getTime() / 1000 + longestSeconds + toleranceSeconds
  return new Date((Math.min(exp, latest) + 2 * toleranceSeconds) * 1000)
}

/** True if the verified ID token was issued with this access token (`at_hash`, OpenID Connect Core, section 3.1.3.6). */
export const isIssuedWith = (idToken: string, accessToken: string): boolean => {
  const claim = decodeJwt(idToken)['at_hash']
  // Algorithms that do not end in 256 use another hash: for those the caller calls the provider.
  if (typeof claim !== 'string' || !/^[A-Z]{2}256$/.test(decodeProtectedHeader(idToken).alg ?? '')) return false
  return safeEqual(claim, Buffer.from(sha256(accessToken), 'hex').subarray(0, 16).toString('base64url'))
}

export interface IdTokenRules {
  /** `{tid}` stands for this claim. */
  readonly issuers: readonly string[]
  readonly jwksUrl: string
  /** Required value of `tid`; undefined: any. */
  readonly tenant?: string | undefined
}

export interface IdTokenExpectation {
  readonly audiences: readonly string[]
  /** Required nonce. Undefined: the token must have none; otherwise a caller could skip the check by leaving the nonce out. */
  readonly nonce: string | undefined
}

export type IdTokenVerifier = (token: string, expected: IdTokenExpectation) => Promise<JWTPayload>

/** Compares a nonce. iOS applications send Apple the SHA-256 of their nonce, so the hash is accepted, too. */
const isNonce = (claim: unknown, nonce: string) =>
  typeof claim === 'string' && (safeEqual(claim, nonce) || safeEqual(claim, sha256(nonce)))

/** Verifies ID tokens (OpenID Connect Core, section 3.1.3.7) with the provider's published keys, which are cached. */
export const createIdTokenVerifier = (
  { issuers, jwksUrl, tenant }: IdTokenRules,
  { outbound, clock }: { readonly outbound: Outbound; readonly clock: Clock },
): IdTokenVerifier => {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    [customFetch]: (url, { headers }) => outbound.fetch(url, { headers }),
  })
  return async (token, { audiences, nonce }) => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms,
      audience: [...audiences],
      currentDate: clock.now(),
      clockTolerance: toleranceSeconds,
      requiredClaims: ['sub', 'iss', 'exp', 'iat'],
      maxTokenAge: longestSeconds,
    })
    // Access and logout tokens of the provider may have the same audience (RFC 8725, section 3.12).
    if (!/^(application\/)?jwt$/i.test(protectedHeader.typ ?? 'JWT') || payload['events'] !== undefined)
      throw new Error('the token is no ID token')
    const tid = payload['tid']
    if (tenant !== undefined && tid !== tenant) throw new Error('the ID token is of another tenant')
    if (!issuers.some((issuer) => issuer.replace('{tid}', String(tid)) === payload.iss))
      throw new Error('the ID token is of another issuer')
    const party = payload['azp']
    if (Array.isArray(payload.aud) && payload.aud.length > 1 && !audiences.some((audience) => audience === party))
      throw new Error('the ID token was issued to another party')
    const claim = payload['nonce']
    if (nonce === undefined ? claim !== undefined : !isNonce(claim, nonce)) throw new Error('the ID token has another nonce')
    return claimsIn(token)
  }
}
