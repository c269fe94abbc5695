import { errors } from 'oidc-provider'
import type { OidcConfig } from '../config.ts'

/** A server that takes tokens of this one (RFC 8707, RFC 9728). */
export interface Resource {
  readonly identifier: string
  readonly name: string | undefined
  readonly scopes: readonly string[]
  /** The client by which it looks at tokens that are for it. */
  readonly clientId: string | undefined
}

export interface Resources {
  readonly all: readonly Resource[]
  /** The resource that a request names, undefined for none. Throws invalid_target for every other one: it is never ignored. */
  require(value: unknown): string | undefined
  /** True for a token of this server's own calls: one for no other audience. */
  isOwn(audience: string | undefined): boolean
  /** True for the client of the resource that a token is for: it may look at the token. */
  isReader(clientId: string, audience: string | undefined): boolean
}

const hrefOf = (value: string) => (URL.canParse(value) ? new URL(value).href : undefined)

export const createResources = (
  issuer: string,
  { resources }: Pick<OidcConfig, 'resources'>,
  ownScopes: readonly string[],
): Resources => {
  const own: Resource = { identifier: issuer, name: undefined, scopes: ownScopes, clientId: undefined }
  const all = [
    own,
    ...resources.map(({ resource, name, scopes, clientId }) => ({ identifier: resource, name, scopes, clientId })),
  ]
  const byHref = new Map(all.map((resource) => [hrefOf(resource.identifier), resource]))
  return {
    all,
    require: (value) => {
      if (value === undefined || value === '') return undefined
      const found = typeof value === 'string' ? byHref.get(hrefOf(value)) : undefined
      if (found !== undefined) return found.identifier
      throw new errors.InvalidTarget(
        'resource must be one that this server issues tokens for: an operator names it in oidc.resources',
      )
    },
    isOwn: (audience) => audience === undefined || audience === issuer,
    isReader: (clientId, audience) => all.some((resource) => resource.identifier === audience && resource.clientId === clientId),
  }
}

/** Path of the metadata of a resource on its own host (RFC 9728, section 3.1). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** The metadata of the resources at this address (RFC 9728, section 2), by path. Others publish their own. */
export const resourceDocuments = (issuer: string, { all }: Pick<Resources, 'all'>): ReadonlyMap<string, object> =>
  new Map(
    all
      .filter(({ identifier }) => new URL(identifier).origin === new URL(issuer).origin)
      .map(({ identifier, name, scopes }) => {
        const { pathname, search } = new URL(identifier)
        const document = {
          resource: identifier,
          authorization_servers: [issuer],
          scopes_supported: scopes,
          bearer_methods_supported: ['header'],
          ...(name === undefined ? {} : { resource_name: name }),
        }
        return [`${resourceMetadataPath}${pathname === '/' ? '' : pathname}${search}`, document]
      }),
  )
