import type { Provider } from 'oidc-provider'

/** The longest lifetime in seconds of an assertion that authenticates a client. Its `jti` is stored for as long. */
export const longestAssertionSeconds = 3_600

/** The largest tolerated difference in seconds between the clocks of client and server. */
export const clockSkewSeconds = 10

/** The problems of an assertion. Each has a text for the developer of the client. */
export const assertionProblems = {
  audiences: 'aud of the client_assertion must name this server alone',
  tooLong: `the client_assertion counts for more than ${longestAssertionSeconds} seconds`,
  future: 'iat of the client_assertion is in the future',
  iat: 'iat of the client_assertion is no number',
  type: 'typ of the client_assertion is that of another token',
} as const

/** The values of the header `typ` that an assertion may have (RFC 7523). An assertion without `typ` is accepted too. */
const types = new Set(['jwt', 'application/jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'])

interface Context {
  /** The present time in seconds since the epoch. */
  readonly now: number
  /** The values of `aud` that stand for this server. */
  readonly accepted: ReadonlySet<string>
}

/**
 * Returns the problem that the library would not find in an assertion; undefined if there is none. If the audience were another server,
 * that server could use the assertion here. The lifetime could be unlimited, the time of issue in the future, and the token signed for
 * another purpose.
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

/** Replaces the library's check for replayed assertions by `claim`. `claim` returns true for the first request with an id. */
export const replaceReplayDetection = (provider: Provider, claim: (id: string, expiresAt: number) => Promise<boolean>): void => {
  Object.assign(provider.ReplayDetection, {
    unique: (issuer: string, id: string, expiresAt: number) => claim(JSON.stringify([issuer, id]), expiresAt),
  })
}
