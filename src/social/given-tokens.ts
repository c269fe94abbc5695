import type { ProviderTokens } from '../accounts/index.ts'
import { isIssuedWith } from './upstream/id-token.ts'
import type { Person, Upstream } from './upstream/types.ts'

/** Tokens that an application got from a provider by itself. */
export interface GivenTokens {
  readonly token: string
  readonly accessToken?: string | undefined
  readonly expiresAt?: number | undefined
}

/** The ID token names the access token, or the provider answers to it with the same person. */
const isOf = async (upstream: Upstream, { profile }: Person, idToken: string, accessToken: string): Promise<boolean> => {
  if (isIssuedWith(idToken, accessToken)) return true
  const tokens = { accessToken, refreshToken: undefined, idToken: undefined, scopes: [], deviceId: undefined }
  const expiry = { accessTokenExpiresAt: undefined, refreshTokenExpiresAt: undefined }
  const asked = await upstream.person({ ...tokens, ...expiry }).catch(() => undefined)
  return asked?.profile.id === profile.id
}

/**
 * What is kept of tokens that somebody brings: the ID token, which was verified, and the access token where it is shown to be the same
 * person's. Never a refresh token: it would be redeemed with our secret, whosever it is.
 */
export const tokensToKeep = async (
  upstream: Upstream,
  person: Person,
  { token, accessToken, expiresAt }: GivenTokens,
  scopes: readonly string[],
): Promise<ProviderTokens> => {
  const isKept = accessToken !== undefined && (await isOf(upstream, person, token, accessToken))
  return {
    accessToken: isKept ? accessToken : undefined,
    refreshToken: undefined,
    idToken: token,
    accessTokenExpiresAt: isKept && expiresAt !== undefined ? new Date(expiresAt * 1000) : undefined,
    refreshTokenExpiresAt: undefined,
    scopes: isKept ? scopes : [],
    deviceId: undefined,
  }
}
