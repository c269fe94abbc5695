import type { Provider } from 'oidc-provider'

/** Longest lifetime of an assertion in seconds; its `jti` is stored for as long. */
export const longestAssertionSeconds = 3_600

/** Allowed difference between the clocks of client and server, in seconds. */
export const clockSkewSeconds = 10

/** Problems of an assertion by name; the text is for the developer of the client. */
export const assertionProblems = {
  audiences: 'aud of the client_assertion must name this server alone',
  tooLong: `the client_assertion counts for more than ${longestAssertionSeconds} seconds`,
  future: 'iat of the client_assertion is in the future',
  iat: 'iat of the client_assertion is no number',
  type: 'typ of the client_assertion is that of another token',
} as const

/** Types of a token that authenticates a client; a token without a type is accepted, too (RFC 7523). */
const types = new Set(['jwt', 'application/jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'])

interface Context {
  /** Epoch seconds. */
  readonly now: number
  /** Audiences that name this server. */
  readonly accepted: ReadonlySet<string>
}

/**
 * Checks that the library lacks: audiences of other servers, which could send the assertion on; unlimited lifetimes; assertions from the
 * future; tokens that were signed for another purpose.
 */
export const assertionProblem = (
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>>,
  { now, accepted }: Context,
): string | undefined => {
  const { aud, exp, iat } = claims
  if (![aud].flat().every((value) => accepted.has(String(value)))) return assertionProblems.audiences
  if (typeof exp !== 'number' || exp - now > longestAssertionSeconds) return assertionProblems.tooLong
  if (header['typ'] !== undefined && !types.has(String(header['typ']).toLowerCase())) return assertionProblems.type
  if (iat === undefined) return undefined
  if (typeof iat !== 'number') return assertionProblems.iat
  if (iat > now + clockSkewSeconds) return assertionProblems.future
  return exp - iat > longestAssertionSeconds + clockSkewSeconds ? assertionProblems.tooLong : undefined
}

/** Replaces the library's check for replays with `claim`: true for the first request with an id. */
export const replaceReplayDetection = (provider: Provider, claim: (id: string, expiresAt: number) => Promise<boolean>): void => {
  Object.assign(provider.ReplayDetection, {
    unique: (issuer: string, id: string, expiresAt: number) => claim(JSON.stringify([issuer, id]), expiresAt),
  })
}
