import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Core } from '../../core/core.ts'
import type { Claims } from '../../identity/claims/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Client, Clients } from '../clients/service.ts'
import { splitScope } from '../rules.ts'
import type { ProviderRequests } from './requests.ts'

interface Deps extends Pick<Core, 'db'> {
  readonly clients: Pick<Clients, 'find'>
  readonly requests: ProviderRequests
  readonly claims: Claims
  /** Undefined if organizations are disabled. */
  readonly memberships: Memberships | undefined
}

/** True if the machine may read data of the organization now. */
export const mayAskAbout = (client: Client | undefined, organizationId: string | undefined): organizationId is string =>
  organizationId !== undefined && client?.metadata.organizations.includes(organizationId) === true

/**
 * The organization that a machine names in the parameter `organization`, by id or slug. Throws invalid_request, with equal errors for an
 * unknown organization and for an organization that the machine may not read.
 */
export const chooseOrganizationOfMachine = async (deps: Deps, ctx: KoaContextWithOIDC, scope: string): Promise<void> => {
  const { db, clients, requests, claims, memberships } = deps
  const named = ctx.oidc.body?.['organization']
  const needsOne = splitScope(scope).some((name) => claims.ofOrganizations.includes(name))
  if (named === undefined || named === '') {
    if (needsOne) throw new errors.InvalidRequest('name the organization that is asked about in organization')
    return
  }
  const client = await clients.find(ctx.oidc.client?.clientId ?? '')
  const isReference = typeof named === 'string' && /^[\w-]{1,64}$/.test(named)
  const id = isReference ? await memberships?.idOf(db, named) : undefined
  if (!mayAskAbout(client, id))
    throw new errors.InvalidRequest('the organization does not exist, or the client may not ask about it')
  requests.of(ctx.req).organizationId = id
}

/** The claims about the requested organization, for the token of a machine. */
export const claimsOfMachine = async ({ db, claims, requests }: Deps, ctx: KoaContextWithOIDC, scope: string) => {
  const { organizationId } = requests.of(ctx.req)
  return organizationId == null ? {} : claims.valuesOfOrganization(db, organizationId, splitScope(scope))
}
