import { errors, type KoaContextWithOIDC, type Client as LibraryClient } from 'oidc-provider'
import { sha256 } from '../../core/crypto.ts'
import { profileAlgs } from '../rules.ts'
import type { ProviderRequests } from './requests.ts'

/** Client metadata of this server: the profile of the client. */
export const profileProperty = 'gatehouse_profile'

/** Longest lifetime of a code (FAPI 2.0 Security Profile, section 5.3.2.1), in seconds. */
const longestCodeSeconds = 60

export const isFapi = (client: LibraryClient | undefined): boolean => client?.[profileProperty] === 'fapi2'

export const codeSeconds = (client: LibraryClient | undefined, seconds: number): number =>
  isFapi(client) ? Math.min(seconds, longestCodeSeconds) : seconds

/**
 * Refuses assertions outside of FAPI 2.0 (Security Profile, sections 5.3.2.1 and 5.4): for another audience than the issuer, or by
 * another algorithm. Throws invalid_client.
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
 * Refresh tokens of the profile are not rotated, since they are useless without the client's keys. The request succeeds only if the
 * refresh token still exists when its tokens are written.
 */
export const rotateUnlessBound =
  (requests: ProviderRequests) =>
  ({ req, oidc: { client, params } }: KoaContextWithOIDC): boolean => {
    if (isFapi(client)) requests.of(req).keeps = sha256(String(params?.['refresh_token']))
    return !isFapi(client)
  }
