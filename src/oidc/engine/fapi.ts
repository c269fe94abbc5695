import { errors, type KoaContextWithOIDC, type Client as LibraryClient } from 'oidc-provider'
import { sha256 } from '../../core/crypto.ts'
import { profileAlgs } from '../rules.ts'
import type { ProviderRequests } from './requests.ts'

/** The name of a client metadata field that only this server knows. The field has the client's security profile. */
export const profileProperty = 'gatehouse_profile'

/** The longest lifetime of a code in seconds (FAPI 2.0 Security Profile, section 5.3.2.1). */
const longestCodeSeconds = 60

export const isFapi = (client: LibraryClient | undefined): boolean => client?.[profileProperty] === 'fapi2'

export const codeSeconds = (client: LibraryClient | undefined, seconds: number): number =>
  isFapi(client) ? Math.min(seconds, longestCodeSeconds) : seconds

/**
 * Refuses assertions that FAPI 2.0 does not allow (Security Profile, sections 5.3.2.1 and 5.4). The audience must be the issuer, and the
 * algorithm must be one that the profile allows. Throws invalid_client.
 */
export const checkFapiAssertion = (
  { oidc }: KoaContextWithOIDC,
  { aud }: Readonly<Record<string, unknown>>,
  { alg }: Readonly<Record<string, unknown>>,
  client: LibraryClient,
): void => {
  if (!isFapi(client)) return
  if (aud !== oidc.provider.issuer) throw new errors.InvalidClientAuth('aud of the client_assertion must be the issuer alone')
  if (!(profileAlgs as readonly unknown[]).includes(alg))
    throw new errors.InvalidClientAuth(`alg of the client_assertion must be one of ${profileAlgs.join(', ')}`)
}

/**
 * Decides whether a refresh token is replaced at its use. Under the security profile it is not replaced, because nobody can use it
 * without the client's keys. The request then succeeds only if the refresh token still exists when the new tokens are written.
 */
export const rotateUnlessBound =
  (requests: ProviderRequests) =>
  ({ req, oidc: { client, params } }: KoaContextWithOIDC): boolean => {
    if (isFapi(client)) requests.of(req).keeps = sha256(String(params?.['refresh_token']))
    return !isFapi(client)
  }
