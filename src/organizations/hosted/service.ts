import type { z } from 'zod'
import type { UserPrincipal } from '../../access/principal.ts'
import type { Clock } from '../../core/clock.ts'
import type { PlanOf } from '../../core/core.ts'
import type { Db } from '../../core/db/database.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { countPending } from '../invitations/store.ts'
import type { MemberAdder } from '../members/add.ts'
import { countMembers, isOnlyWithRole, listOnlyWithRole } from '../members/store.ts'
import { findMembership } from '../memberships.ts'
import { allowedTo, canAssign, canManage, type RoleTable } from '../rules.ts'
import type { hostedOrganizationContract } from './contract.ts'

type OnlyOwned = z.output<(typeof hostedOrganizationContract)['listOnlyOwned']['response']>['organizations'][number]
type View = z.output<(typeof hostedOrganizationContract)['viewOrganization']['response']>

export interface HostedOrganizations {
  /** The data for a page about an organization. Throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION, even if the organization does not exist. */
  view(principal: UserPrincipal, organizationSlug: string): Promise<View>
  /** The organizations whose only owner is this user, sorted by name. */
  listOnlyOwned(userId: string): Promise<OnlyOwned[]>
}

interface Deps {
  readonly db: Db
  readonly config: OrganizationsConfig
  readonly roles: RoleTable
  readonly clock: Clock
  readonly memberAdder: Pick<MemberAdder, 'seatsOf'>
  readonly planOf: PlanOf
}

/** Returns the data for pages about an organization. It includes what the user may do, so that pages offer no action that would be refused. */
export const createHostedOrganizations = ({ db, clock, config, roles, memberAdder, planOf }: Deps): HostedOrganizations => ({
  listOnlyOwned: (userId) => listOnlyWithRole(db, userId, roles.creatorRole, 100),
  view: async (principal, organizationSlug) => {
    const own = await findMembership(db, roles, principal, { slug: organizationSlug })
    if (own === undefined) throw organizationErrors.error('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION')
    const { organization, member } = own
    if (member === undefined) throw organizationErrors.error('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION')
    const permissions = allowedTo(roles, own.roles)
    const forOrganization = permissions['organization']?.filter((action) => action !== 'delete' || config.deletionEnabled)
    const mayInvite = permissions['invitation']?.includes('create') === true
    const mayReadPlan = mayInvite || permissions['billing']?.includes('read') === true
    const taken = mayInvite && {
      members: await countMembers(db, organization.id),
      invitations: await countPending(db, organization.id, clock.now()),
    }
    const use = taken ? await memberAdder.seatsOf(db, organization.id, taken) : undefined
    return {
      organization,
      seats: use ?? null,
      plan: mayReadPlan ? await planOf(db, organization.id) : null,
      ownerRole: roles.creatorRole,
      member: {
        id: member.id,
        role: member.role,
        createdAt: member.createdAt,
        isOnlyOwner: await isOnlyWithRole(db, principal.user.id, roles.creatorRole, organization.id),
      },
      permissions: { ...permissions, organization: forOrganization ?? [] },
      roles: [...roles.roles.keys()].map((name) => {
        const role = new Set([name])
        return { name, canAssign: canAssign(roles, own.roles, role), canManage: canManage(roles, own.roles, role) }
      }),
    }
  },
})
