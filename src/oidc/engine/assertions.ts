import type { Provider } from 'oidc-provider'

/** Longest time that an assertion counts, in seconds: as long its `jti` is remembered. */
export const longestAssertionSeconds = 3_600

/** How much clocks of clients may be ahead of or behind ours, in seconds. */
export const clockSkewSeconds = 10

/** What is wrong with an assertion, by the name of the problem; the text is for the developer of the client. */
export const assertionProblems = {
  audiences: 'aud of the client_assertion must name this server alone',
  tooLong: `the client_assertion counts for more than ${longestAssertionSeconds} seconds`,
  future: 'iat of the client_assertion is in the future',
  iat: 'iat of the client_assertion is no number',
  type: 'typ of the client_assertion is that of another token',
} as const

/** Types of a token that authenticates a client; without a type it counts, too (RFC 7523). */
const types = new Set(['jwt', 'application/jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'])

interface Context {
  /** In epoch seconds. */
  readonly now: number
  /** Audiences that stand for this server. */
  readonly accepted: ReadonlySet<string>
}

/**
 * What the library lets through: audiences of others beside ours, with whom the assertion would be good as well; lifetimes without end; assertions of
 * the future; tokens that were signed for another purpose.
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

/** Has `claim` decide whether something that counts once, such as an assertion, counts: true for the first of all requests with its id. */
export const replaceReplayDetection = (provider: Provider, claim: (id: string, expiresAt: number) => Promise<boolean>): void => {
  Object.assign(provider.ReplayDetection, {
    unique: (issuer: string, id: string, expiresAt: number) => claim(JSON.stringify([issuer, id]), expiresAt),
  })
}
