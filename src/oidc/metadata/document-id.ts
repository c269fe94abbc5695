import { parseUrl } from '../../core/web.ts'
import type { OidcConfig } from '../config.ts'

type Setting = Pick<OidcConfig, 'clientMetadataDocuments' | 'clientMetadataDocumentHosts'>

/** True for a `client_id` that is a URL. Ids that operators choose contain no colon. */
export const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://')

/**
 * Returns the reason why this URL is not accepted as a `client_id`. Returns undefined for a valid URL
 * (draft-ietf-oauth-client-id-metadata-document, section 3). The URL has to be spelled as browsers would spell it, without dot segments.
 */
export const documentIdProblem = (clientId: string): string | undefined => {
  const url = parseUrl(clientId)
  if (clientId.length > 255) return 'is longer than 255 characters'
  if (url === undefined || url.protocol !== 'https:') return 'is no https address'
  if (clientId.includes('#')) return 'has a fragment'
  if (url.username !== '' || url.password !== '' || clientId.includes('@')) return 'has a user or password'
  if (url.pathname === '/') return 'has no path'
  if (url.href !== clientId) return `is not written as it is sent; that would be ${url.href}`
  return undefined
}

/** True for a host that the operator has listed. The setting `outbound.allow` applies only to listed hosts. */
export const isListed = ({ clientMetadataDocumentHosts: hosts }: Setting, clientId: string): boolean =>
  hosts.includes(new URL(clientId).host)

/** True if this `client_id` may be the URL of a metadata document. */
export const isAllowed = (config: Setting, clientId: string): boolean => {
  if (config.clientMetadataDocuments === 'off' || documentIdProblem(clientId) !== undefined) return false
  return config.clientMetadataDocuments === 'open' || isListed(config, clientId)
}
