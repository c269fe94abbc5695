import { errors } from 'oidc-provider'
import type { OidcConfig } from '../config.ts'
import type { Scope } from '../resource-servers/contract.ts'
import { type AskingClient, identifierKeyOf, scopesFor } from '../resource-servers/rules.ts'
import type { ResourceServer, ResourceServers } from '../resource-servers/service.ts'

/** A server that takes tokens of this one, as the configuration names it (RFC 8707, RFC 9728). */
export interface Resource {
  readonly identifier: string
  readonly name: string | undefined
  readonly scopes: readonly string[]
  /** The client by which it looks at tokens that are for it. */
  readonly clientId: string | undefined
}

/** What a token may be for, with what the asking client may have of it. */
export interface Target {
  /** As the token says it in `aud`. */
  readonly identifier: string
  /** Undefined for a resource of the configuration, and for this server. */
  readonly api: ResourceServer | undefined
  /** The scopes of the API that the client may ask for, beside those of this server. */
  readonly scopes: readonly Scope[]
}

export interface Resources {
  readonly all: readonly Resource[]
  /** What a request names, for this client. Throws invalid_target for everything that the client gets no token for: it is never ignored. */
  require(value: string, client: AskingClient | undefined): Promise<Target>
  /** The same; undefined in place of the error. */
  find(value: string, client: AskingClient | undefined): Promise<Target | undefined>
  /** True for a token of this server's own calls: one for no other audience. */
  isOwn(audience: string | undefined): boolean
  /** True for the client of the resource, or the API, that a token is for: it may look at the token. */
  isReader(clientId: string, audience: string | undefined): Promise<boolean>
}

/**
 * The parameter `resource` in the one spelling that is compared: undefined where nothing is named. What is no absolute URI stays as it is: the
 * library refuses it.
 */
export const spelledAlike = (value: unknown): unknown => {
  if (value === undefined || value === '') return undefined
  if (!Array.isArray(value)) return typeof value === 'string' ? (identifierKeyOf(value) ?? value) : value
  const all = [...new Set(value.map(spelledAlike))].filter((one) => one !== undefined)
  return all.length > 1 ? all : all[0]
}

/** The resources of a stored request: a list, one, or none. */
export const resourcesIn = (value: unknown): readonly string[] =>
  [value].flat().filter((one): one is string => typeof one === 'string' && one !== '')

export const createResources = (
  issuer: string,
  { resources }: Pick<OidcConfig, 'resources'>,
  ownScopes: readonly string[],
  apis: Pick<ResourceServers, 'find'>,
): Resources => {
  const own: Resource = { identifier: issuer, name: undefined, scopes: ownScopes, clientId: undefined }
  const all = [
    own,
    ...resources.map(({ resource, name, scopes, clientId }) => ({ identifier: resource, name, scopes, clientId })),
  ]
  const byKey = new Map(all.map((resource) => [identifierKeyOf(resource.identifier), resource]))
  const find: Resources['find'] = async (value, client) => {
    const configured = byKey.get(identifierKeyOf(value))
    if (configured !== undefined) return { identifier: configured.identifier, api: undefined, scopes: [] }
    const api = value.includes('#') ? undefined : await apis.find(value)
    const scopes = api === undefined || client === undefined ? undefined : scopesFor(api, client)
    return api === undefined || scopes === undefined ? undefined : { identifier: api.identifier, api, scopes }
  }
  return {
    all,
    find,
    require: async (value, client) => {
      const found = await find(value, client)
      if (found !== undefined) return found
      throw new errors.InvalidTarget(
        'resource must be one that this server issues tokens to this client for: an operator registers APIs and lists their applications (docs/how-to/apis.md)',
      )
    },
    isOwn: (audience) => audience === undefined || audience === issuer,
    isReader: async (clientId, audience) =>
      audience !== undefined &&
      (all.some((resource) => resource.identifier === audience && resource.clientId === clientId) ||
        (await apis.find(audience))?.id === clientId),
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
