import { errors, type KoaContextWithOIDC, type Client as LibraryClient } from 'oidc-provider'
import { sha256 } from '../../core/crypto.ts'
import { profileAlgs } from '../rules.ts'
import type { ProviderRequests } from './requests.ts'

/** Our own client metadata: the profile that the client keeps to. */
export const profileProperty = 'gatehouse_profile'

/** Longest life of a code (FAPI 2.0 Security Profile, section 5.3.2.1), in seconds. */
const longestCodeSeconds = 60

export const isFapi = (client: LibraryClient | undefined): boolean => client?.[profileProperty] === 'fapi2'

export const codeSeconds = (client: LibraryClient | undefined, seconds: number): number =>
  isFapi(client) ? Math.min(seconds, longestCodeSeconds) : seconds

/**
 * Refuses what FAPI 2.0 does not have (Security Profile, sections 5.3.2.1 and 5.4): an assertion for anything but the issuer, or by another algorithm.
 * Throws invalid_client.
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

/** A refresh token of the profile stays, since it is of no use without the keys; it counts only while it exists when its tokens are written. */
export const rotateUnlessBound =
  (requests: ProviderRequests) =>
  ({ req, oidc: { client, params } }: KoaContextWithOIDC): boolean => {
    if (isFapi(client)) requests.of(req).keeps = sha256(String(params?.['refresh_token']))
    return !isFapi(client)
  }
