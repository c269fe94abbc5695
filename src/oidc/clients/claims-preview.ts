import { can } from '../../access/can.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { coreErrors } from '../../core/errors.ts'
import type { Claims } from '../../identity/claims/index.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import { oidcErrors } from '../contract.ts'
import { splitScope } from '../rules.ts'
import type { Subjects } from '../subjects/service.ts'
import type { Clients } from './service.ts'

interface Deps extends Pick<Core, 'db'> {
  readonly clients: Pick<Clients, 'find'>
  readonly users: Pick<Users, 'require'>
  readonly claims: Pick<Claims, 'read'>
  readonly subjects: Pick<Subjects, 'shown'>
  /** Undefined if organizations are disabled. */
  readonly memberships: Pick<Memberships, 'claimsOf'> | undefined
}

/** The person and organization of the preview. The person is given by id, mail address or user name, and the organization by id or slug. */
interface Subject {
  readonly user: string
  readonly organization?: string | undefined
}

/**
 * Shows the claims about a person that an application gets if it requests all of its scopes, with the source of each claim. Claims about
 * purchases are left out for callers who may not read customers. Throws APPLICATION_NOT_FOUND and USER_NOT_FOUND. Throws
 * ORGANIZATION_CANNOT_BE_CHOSEN if the person is not a member. Throws FORBIDDEN for callers who may not read people, or who name an
 * organization and may not read organizations.
 */
export const createClaimsPreview =
  ({ db, clients, users, claims, memberships, subjects }: Deps) =>
  async (principal: Principal, clientId: string, { user: named, organization }: Subject) => {
    if (!can(principal, 'users:read')) throw coreErrors.error('FORBIDDEN')
    if (organization !== undefined && !can(principal, 'all-organizations:read')) throw coreErrors.error('FORBIDDEN')
    const client = await clients.find(clientId)
    if (client === undefined) throw oidcErrors.error('APPLICATION_NOT_FOUND')
    const scopes = splitScope(client.scope)
    const user = await users.require(db, named)
    const own = organization === undefined ? undefined : await memberships?.claimsOf(db, user.id, organization)
    if (organization !== undefined && own === undefined) throw oidcErrors.error('ORGANIZATION_CANNOT_BE_CHOSEN')
    const { id, name, email } = user
    const found = await subjects.shown(client, await claims.read(db, { user, organizationId: own?.id ?? null, clientId }, scopes))
    const shown = can(principal, 'customers:read') ? found : found.filter(({ feature }) => feature !== 'billing')
    return {
      user: { id, name, email },
      organization: own === undefined ? null : { id: own.id, name: own.name, slug: own.slug },
      scopes,
      claims: shown.map(({ origins, ...claim }) => ({ ...claim, origins: [...origins] })),
      isPartial: shown.length < found.length,
    }
  }

export type ClaimsPreview = ReturnType<typeof createClaimsPreview>
