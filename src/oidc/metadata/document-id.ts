import { parseUrl } from '../../core/web.ts'
import type { OidcConfig } from '../config.ts'

type Setting = Pick<OidcConfig, 'clientMetadataDocuments' | 'clientMetadataDocumentHosts'>

/** True for a `client_id` that is an address. Ids that operators choose contain no colon. */
export const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://')

/**
 * Returns the reason why no document is fetched from this address, and undefined for a valid address
 * (draft-ietf-oauth-client-id-metadata-document, section 3). Only the spelling that browsers use is accepted. It has no dot segments.
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

/** True for hosts that the operator has listed. `outbound.allow` applies only to these. */
export const isListed = ({ clientMetadataDocumentHosts: hosts }: Setting, clientId: string): boolean =>
  hosts.includes(new URL(clientId).host)

/** True if this `client_id` may be the address of a document. */
export const isAllowed = (config: Setting, clientId: string): boolean => {
  if (config.clientMetadataDocuments === 'off' || documentIdProblem(clientId) !== undefined) return false
  return config.clientMetadataDocuments === 'open' || isListed(config, clientId)
}
