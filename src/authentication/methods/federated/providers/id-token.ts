import { createRemoteJWKSet, customFetch, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../../../core/clock.ts'
import { safeEqual, sha256 } from '../../../../core/crypto.ts'
import { parseExactJson } from '../../../../core/exact-json.ts'
import type { Outbound } from '../../../../core/fetch.ts'

/** The algorithms that an ID token may have. All use a key pair. HMAC is not accepted, because client and provider share its secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const toleranceSeconds = 15
const longestSeconds = 3600

/** The claims of an ID token that was verified before. Long numbers keep all their digits. */
export const claimsIn = (idToken: string): JWTPayload =>
  parseExactJson(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8')) as JWTPayload

/** The time from which on a verified ID token will be refused as expired. */
export const endOfUse = (idToken: string, now: Date): Date => {
  const { exp = Number.POSITIVE_INFINITY } = decodeJwt(idToken)
  const latest = now.getTime() / 1000 + longestSeconds + toleranceSeconds
  return new Date((Math.min(exp, latest) + 2 * toleranceSeconds) * 1000)
}

/** True if the ID token was issued together with this access token (`at_hash`; OpenID Connect Core, section 3.1.3.6). It was verified before. */
export const isIssuedWith = (idToken: string, accessToken: string): boolean => {
  const claim = decodeJwt(idToken)['at_hash']
  // Other algorithms use another hash. For them the result is false, and the caller asks the provider instead.
  if (typeof claim !== 'string' || !/^[A-Z]{2}256$/.test(decodeProtectedHeader(idToken).alg ?? '')) return false
  return safeEqual(claim, Buffer.from(sha256(accessToken), 'hex').subarray(0, 16).toString('base64url'))
}

export interface IdTokenRules {
  /** The issuers that are accepted. `{tid}` stands for the value of the token's claim `tid`. */
  readonly issuers: readonly string[]
  readonly jwksUrl: string
  /** The value that the claim `tid` must have; undefined if every value is accepted. */
  readonly tenant?: string | undefined
}

export interface IdTokenExpectation {
  readonly audiences: readonly string[]
  /**
   * The nonce that the token must have. If undefined, the token must have no nonce, so that a caller cannot skip the check by leaving out
   * the nonce.
   */
  readonly nonce: string | undefined
}

export type IdTokenVerifier = (token: string, expected: IdTokenExpectation) => Promise<JWTPayload>

/** True if the claim is the nonce or the SHA-256 of the nonce. iOS applications send Apple the hash. */
const isNonce = (claim: unknown, nonce: string) =>
  typeof claim === 'string' && (safeEqual(claim, nonce) || safeEqual(claim, sha256(nonce)))

/** Verifies ID tokens (OpenID Connect Core, section 3.1.3.7) with the keys that the provider publishes. The keys are cached. */
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
    // The signature and audience of the provider's access tokens and logout tokens may be the same, so their type is checked (RFC 8725,
    // section 3.12).
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
