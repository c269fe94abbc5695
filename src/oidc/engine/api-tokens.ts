import {
  errors,
  type KoaContextWithOIDC,
  type Client as LibraryClient,
  type ResourceServerInstance as LibraryServer,
} from 'oidc-provider'
import { impersonationPermissions } from '../../access/permissions.ts'
import type { Core } from '../../core/core.ts'
import type { Claims } from '../../identity/claims/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Clients } from '../clients/service.ts'
import { consentScopes } from '../requested-claims.ts'
import type { Scope } from '../resource-servers/contract.ts'
import { qualified } from '../resource-servers/rules.ts'
import { missingScopes, splitScope, standardScopes } from '../rules.ts'
import type { GrantFacts, ProviderRequests } from './requests.ts'
import { type Resources, resourcesIn } from './resources.ts'
import { checkApiScopes } from './scopes.ts'

interface Deps extends Pick<Core, 'db'> {
  readonly clients: Pick<Clients, 'find'>
  readonly requests: ProviderRequests
  readonly resources: Resources
  readonly claims: Claims
  /** Undefined if organizations are disabled. */
  readonly memberships: Memberships | undefined
}

const isConditional = ({ permission, roles }: Scope) => permission !== null || roles.length > 0

/**
 * The scopes of an API that the person of the grant may have now. A scope may need a permission or a role in the organization of the
 * sign-in. The person's memberships are read once, and only if a scope needs them.
 */
export const scopesOfPerson = async (
  { db, memberships }: Pick<Deps, 'db' | 'memberships'>,
  scopes: readonly Scope[],
  { accountId, organizationId, impersonation }: Pick<GrantFacts, 'accountId' | 'organizationId' | 'impersonation'>,
): Promise<readonly Scope[]> => {
  if (!scopes.some(isConditional)) return scopes
  const own = organizationId === null ? undefined : await memberships?.claimsOf(db, accountId, organizationId)
  const has = ({ permission, roles }: Scope): boolean => {
    // The id of a deleted organization may have become the slug of another organization. The ids must therefore be equal.
    if (own === undefined || own.id !== organizationId) return false
    if (roles.length > 0 && !roles.some((role) => own.roles.includes(role))) return false
    if (permission === null) return true
    const isHeld = impersonation === undefined || impersonationPermissions.includes(permission)
    return isHeld && memberships?.permits(own.roles, permission) === true
  }
  return scopes.filter((scope) => !isConditional(scope) || has(scope))
}

/**
 * Describes an API to the library: the lifetime, format and scopes that a token for this client and this person has now. Throws
 * invalid_target.
 */
const resourceServerInfo =
  (deps: Deps, ownScopes: readonly string[]) => async (ctx: KoaContextWithOIDC, resource: string, client: LibraryClient) => {
    const { clients, requests, resources } = deps
    const { identifier: audience, api, scopes } = await resources.require(resource, await clients.find(client.clientId))
    const isToken = ctx.oidc.route === 'token'
    const names = scopes.map(({ name }) => name)
    if (isToken && ctx.oidc.params?.['grant_type'] === 'client_credentials') checkApiScopes(ctx, client, [...ownScopes, ...names])
    const [grant] = isToken ? requests.of(ctx.req).grants.values() : []
    const asked = grant === undefined ? [] : splitScope(grant.scope)
    const given =
      grant === undefined
        ? scopes
        : await scopesOfPerson(
            deps,
            scopes.filter(({ name }) => asked.includes(name)),
            grant,
          )
    const scope = [...ownScopes, ...given.map(({ name }) => name)].join(' ')
    if (api === undefined) return { audience, scope, accessTokenFormat: 'opaque' as const }
    return {
      ...{ audience, scope, accessTokenFormat: api.tokenFormat, accessTokenTTL: api.tokenTtlSeconds },
      ...(api.tokenFormat === 'jwt' ? { jwt: { sign: { alg: api.signingAlg } } } : {}),
    }
  }

/** If the grant is for several resources, a token request has to name one of them (RFC 8707, section 2.2). */
const oneResource = async (
  _ctx: KoaContextWithOIDC,
  _client: LibraryClient,
  authorized?: readonly string[],
): Promise<readonly string[]> => {
  if (authorized !== undefined && authorized.length > 1)
    throw new errors.InvalidTarget('several resources were authorized and a token is for one of them: name it in resource')
  return authorized ?? []
}

/** The settings of the library for the parameter `resource` (RFC 8707). */
export const resourceIndicators = (deps: Deps, ownScopes: readonly string[]) => ({
  enabled: true as const,
  getResourceServerInfo: resourceServerInfo(deps, ownScopes),
  defaultResource: oneResource,
  // If a token request names no resource, the resource of the grant is used.
  useGrantedResource: async () => true,
})

/** The requested scopes that need consent: scopes of this server, and scopes of each API. */
export const requestedScopes = async (
  { resources, clients }: Pick<Deps, 'resources' | 'clients'>,
  params: Readonly<Record<string, unknown>>,
  { ownScopes, organizationScopes }: Readonly<Record<'ownScopes' | 'organizationScopes', readonly string[]>>,
  scopeOf: ReadonlyMap<string, string>,
) => {
  const client = await clients.find(String(params['client_id'] ?? ''))
  const named = consentScopes(params, scopeOf)
  const targets = await Promise.all(resourcesIn(params['resource']).map((resource) => resources.find(resource, client)))
  const apis = targets.flatMap((target) =>
    target?.api === undefined
      ? []
      : [
          {
            identifier: target.identifier,
            name: target.api.name,
            scopes: target.scopes.filter(({ name }) => named.includes(name)),
          },
        ],
  )
  const own = apis.length === 0 ? named : named.filter((scope) => ownScopes.includes(scope))
  const conditional = apis.flatMap(({ identifier, scopes }) =>
    scopes.filter(isConditional).map(({ name }) => qualified(identifier, name)),
  )
  return {
    own,
    apis,
    /**
     * Scopes to which the person consents separately for each organization. These scopes give claims about an organization, or allow
     * actions by the person's role in it.
     */
    ofOrganization: [...own.filter((scope) => organizationScopes.includes(scope)), ...conditional],
    all: [...own, ...apis.flatMap(({ identifier, scopes }) => scopes.map(({ name }) => qualified(identifier, name)))],
  }
}

/** The requested scopes to which the person has agreed, grouped by resource. */
export const agreedByResource = async (
  { oidc: { requestParamScopes, resourceServers } }: KoaContextWithOIDC,
  own: readonly string[],
  agreedAmong: (scopes: readonly string[]) => Promise<readonly string[]>,
) => {
  const servers = Object.entries((resourceServers ?? {}) as Readonly<Record<string, LibraryServer>>).map(([key, server]) => {
    const identifier = String(server.audience)
    const scopes = [...requestParamScopes].filter((scope) => server.scopes.has(scope) && !own.includes(scope))
    return { key, scopes, nameOf: (scope: string) => qualified(identifier, scope) }
  })
  const agreed = new Set(await agreedAmong([...own, ...servers.flatMap(({ scopes, nameOf }) => scopes.map(nameOf))]))
  const ownAgreed = own.filter((scope) => agreed.has(scope))
  return {
    isNothing: agreed.size === 0,
    own: ownAgreed,
    ofResources: servers.map(({ key, scopes, nameOf }) => ({
      key,
      scopes: [...ownAgreed, ...scopes.filter((scope) => agreed.has(nameOf(scope)))],
    })),
  }
}

/**
 * The claims of other features in a token that an API verifies by itself: organization, roles and purchases, as far as the scopes ask for
 * them.
 */
export const claimsInToken = async (
  { db, claims, requests }: Pick<Deps, 'db' | 'claims' | 'requests'>,
  ctx: KoaContextWithOIDC,
  { grant, scope, clientId }: { readonly grant: GrantFacts; readonly scope: string; readonly clientId: string | undefined },
): Promise<Readonly<Record<string, unknown>>> => {
  const user = requests.of(ctx.req).accounts.get(grant.accountId)
  const scopes = missingScopes(splitScope(scope), standardScopes)
  if (user === undefined || scopes.length === 0) return {}
  const { organizationId, impersonation } = grant
  return claims.values(db, { user, organizationId, impersonatorId: impersonation?.by, clientId }, scopes)
}
