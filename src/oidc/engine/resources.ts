import { errors } from 'oidc-provider'
import type { OidcConfig } from '../config.ts'
import type { Scope } from '../resource-servers/contract.ts'
import { type AskingClient, identifierKeyOf, scopesFor } from '../resource-servers/rules.ts'
import type { ResourceServer, ResourceServers } from '../resource-servers/service.ts'

/** A resource server that the configuration names. It accepts tokens of this server (RFC 8707, RFC 9728). */
export interface Resource {
  readonly identifier: string
  readonly name: string | undefined
  readonly scopes: readonly string[]
  /** The client id with which this resource server introspects tokens. */
  readonly clientId: string | undefined
}

/** A possible audience of a token, with the scopes that the client may request for that audience. */
export interface Target {
  /** The value of `aud` in tokens for this target. */
  readonly identifier: string
  /** The registered API; undefined for a resource of the configuration and for this server itself. */
  readonly api: ResourceServer | undefined
  /** The scopes of the API that the client may request. Scopes of this server are not listed here. */
  readonly scopes: readonly Scope[]
}

export interface Resources {
  readonly all: readonly Resource[]
  /**
   * Finds the target that a request of this client names. Throws invalid_target if the client cannot get a token for the target. A
   * resource in a request is never ignored.
   */
  require(value: string, client: AskingClient | undefined): Promise<Target>
  /** Finds a target like `require`, but returns undefined instead of throwing. */
  find(value: string, client: AskingClient | undefined): Promise<Target | undefined>
  /** True if the audience is undefined or is this server. A token with such an audience is for calls to this server. */
  isOwn(audience: string | undefined): boolean
  /** True if the client may introspect a token with this audience: it is the client of that resource server, or the API itself. */
  isReader(clientId: string, audience: string | undefined): Promise<boolean>
}

/**
 * Normalizes the spelling of the parameter `resource` for comparisons; undefined if the parameter is absent. A value that is no absolute
 * URI stays unchanged, and the library refuses it.
 */
export const spelledAlike = (value: unknown): unknown => {
  if (value === undefined || value === '') return undefined
  if (!Array.isArray(value)) return typeof value === 'string' ? (identifierKeyOf(value) ?? value) : value
  const all = [...new Set(value.map(spelledAlike))].filter((one) => one !== undefined)
  return all.length > 1 ? all : all[0]
}

/** Returns the value of a stored parameter `resource` as a list. */
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

/** The path of a resource's metadata on the host of the resource (RFC 9728, section 3.1). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/**
 * The metadata documents of the resources that are on this server, by path (RFC 9728, section 2). All other resources publish their
 * documents themselves.
 */
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
