import { errors } from 'oidc-provider'
import type { OidcConfig } from '../config.ts'
import type { Scope } from '../resource-servers/contract.ts'
import { type AskingClient, identifierKeyOf, scopesFor } from '../resource-servers/rules.ts'
import type { ResourceServer, ResourceServers } from '../resource-servers/service.ts'

/** A server of the configuration that accepts tokens of this server (RFC 8707, RFC 9728). */
export interface Resource {
  readonly identifier: string
  readonly name: string | undefined
  readonly scopes: readonly string[]
  /** The client that introspects tokens for this server. */
  readonly clientId: string | undefined
}

/** A possible audience of a token, with the scopes that the client may request there. */
export interface Target {
  /** The value of `aud` in tokens. */
  readonly identifier: string
  /** Undefined for a resource of the configuration and for this server. */
  readonly api: ResourceServer | undefined
  /** The scopes of the API that the client may request, in addition to those of this server. */
  readonly scopes: readonly Scope[]
}

export interface Resources {
  readonly all: readonly Resource[]
  /**
   * Finds the target that a request of this client names. Throws invalid_target if the client can get no token for it. A resource is
   * never ignored.
   */
  require(value: string, client: AskingClient | undefined): Promise<Target>
  /** Finds a target like `require`. Returns undefined in place of the error. */
  find(value: string, client: AskingClient | undefined): Promise<Target | undefined>
  /** True for a token without an audience of its own, which is for calls to this server. */
  isOwn(audience: string | undefined): boolean
  /** True for the client of the resource that a token is for, and for the API itself. Both may introspect the token. */
  isReader(clientId: string, audience: string | undefined): Promise<boolean>
}

/**
 * The parameter `resource` in the spelling that is used for comparison; undefined if it is absent. A value that is no absolute URI stays
 * unchanged, and the library refuses it.
 */
export const spelledAlike = (value: unknown): unknown => {
  if (value === undefined || value === '') return undefined
  if (!Array.isArray(value)) return typeof value === 'string' ? (identifierKeyOf(value) ?? value) : value
  const all = [...new Set(value.map(spelledAlike))].filter((one) => one !== undefined)
  return all.length > 1 ? all : all[0]
}

/** The resources in a stored request, as a list. */
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

/** The path of the metadata of a resource on its host (RFC 9728, section 3.1). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** The metadata of resources whose address is on this server (RFC 9728, section 2), by path. Other resources publish their own. */
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
