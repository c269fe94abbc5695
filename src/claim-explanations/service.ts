import { can } from '../access/can.ts'
import type { Permission } from '../access/permissions.ts'
import type { Principal } from '../access/principal.ts'
import type { Billing } from '../billing/index.ts'
import type { Core } from '../core/core.ts'
import { coreErrors } from '../core/errors.ts'
import type { Claims } from '../identity/claims/index.ts'
import type { Users } from '../identity/users/index.ts'
import type { Oidc } from '../oidc/index.ts'
import type { Memberships, Organizations } from '../organizations/index.ts'
import type { ClaimExplanation, EntitlementExplanation } from './contract.ts'

/** The user and the application that a question is about, named as operators name them. */
interface Question {
  readonly user: string
  /** Id or slug of the organization that the user acts for. */
  readonly organization?: string | undefined
  readonly client?: string | undefined
}

/**
 * Explains the claims and entitlements of users and organizations, with their sources. All functions throw FORBIDDEN if the principal may
 * not read the data that the question is about.
 */
export interface ClaimExplanations {
  /** Explains the claims of a user. Throws USER_NOT_FOUND, ORGANIZATION_NOT_FOUND and CLIENT_NOT_FOUND. */
  ofUser(principal: Principal, question: Question): Promise<ClaimExplanation>
  /** Explains the entitlements of an organization. Throws ORGANIZATION_NOT_FOUND. */
  ofOrganization(principal: Principal, idOrSlug: string): Promise<EntitlementExplanation>
}

export interface Needs {
  readonly users: Pick<Users, 'require'>
  /** Undefined if the instance has no organizations. */
  readonly organizations?: Pick<Organizations, 'require'>
  readonly memberships?: Pick<Memberships, 'claimsOf'>
  readonly claims: Pick<Claims, 'read'>
  readonly oidc: Pick<Oidc, 'clients' | 'subjects'>
  /** Undefined if the instance has no billing. */
  readonly billing?: Pick<Billing, 'entitlements' | 'links'>
}

type Explanation = Awaited<ReturnType<Billing['entitlements']['explain']>>
type Snapshots = Parameters<Billing['entitlements']['explain']>[1]

const nothing: Explanation = { entitlements: [], plan: null, subscriptionStatus: null, seats: null, unused: [] }

/** Copies the lists, because a response must not share them with other responses. */
const shown = ({ entitlements, unused, ...rest }: Explanation) => ({
  ...rest,
  entitlements: entitlements.map(({ sources, ...one }) => ({ ...one, sources: [...sources] })),
  unused: [...unused],
})

export const createClaimExplanations = ({ db, ...needs }: Pick<Core, 'db'> & Needs): ClaimExplanations => {
  const { users, organizations, memberships, claims, oidc, billing } = needs

  const requireAll = (principal: Principal, asked: Readonly<Partial<Record<Permission, boolean>>>) => {
    for (const [permission, isAsked] of Object.entries(asked))
      if (isAsked && !can(principal, permission as Permission)) throw coreErrors.error('FORBIDDEN')
  }
  const organizationOf = async (named: string) => {
    if (organizations === undefined) throw coreErrors.error('NOT_FOUND', { message: 'This instance has no organizations' })
    return organizations.require(named)
  }
  const explain = async (snapshotsOf: (links: Billing['links']) => Promise<Snapshots>) =>
    billing === undefined ? nothing : billing.entitlements.explain(db, await snapshotsOf(billing.links))

  return {
    ofUser: async (principal, { user: named, organization: idOrSlug, client: clientId }) => {
      const hasOrganization = idOrSlug !== undefined
      requireAll(principal, { 'customers:read': true, 'users:read': true, 'all-organizations:read': hasOrganization })
      requireAll(principal, { 'clients:read': clientId !== undefined })
      const user = await users.require(db, named)
      const organization = hasOrganization ? await organizationOf(idOrSlug) : undefined
      const owner = { userId: user.id, organizationId: organization?.id ?? null }
      const { client, scopes } = await oidc.clients.scopesOf(clientId)
      const read = await claims.read(db, { user, organizationId: owner.organizationId, clientId }, scopes)
      const registered = client && (await oidc.clients.find(client.clientId))
      const found = registered === undefined ? read : await oidc.subjects.shown(registered, read)
      const own = organization && (await memberships?.claimsOf(db, user.id, organization.id))
      const explanation = await explain((links) => links.snapshotsOf(db, owner))
      const { plan, entitlements, unused } = shown(await explain((links) => links.claimableSnapshots(db, user.email)))
      const { id, slug } = organization ?? { id: '', slug: '' }
      return {
        user: { id: user.id, email: user.email, emailVerified: user.emailVerified },
        organization:
          organization === undefined ? null : { id, slug, isMember: own !== undefined, roles: [...(own?.roles ?? [])] },
        client: client ?? null,
        scopes: [...scopes],
        claims: Object.fromEntries(found.map(({ name, value }) => [name, value])),
        claimOrigins: Object.fromEntries(
          found.map(({ name, feature, scope, origins }) => [name, { feature, scope, origins: [...origins] }]),
        ),
        ...shown(explanation),
        seats: own === undefined ? null : explanation.seats,
        held: { plan, entitlements, unused },
      }
    },
    ofOrganization: async (principal, idOrSlug) => {
      requireAll(principal, { 'customers:read': true, 'all-organizations:read': true })
      const { id, slug } = await organizationOf(idOrSlug)
      const explanation = await explain((links) => links.snapshotsOf(db, { userId: null, organizationId: id }))
      return { organization: { id, slug }, ...shown(explanation) }
    },
  }
}
