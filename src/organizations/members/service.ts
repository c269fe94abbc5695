import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { OrganizationPrincipal, PersonPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { parseEmail } from '../../core/wire.ts'
import { organizationErrors } from '../errors.ts'
import { findMembership, lockMembership, type NamedOrganization, requireOrganization } from '../memberships.ts'
import { hasCreatorRole, managerAllows, managerCanAssign, managerCanManage, type RoleTable, splitRoles } from '../rules.ts'
import { lockNamed } from '../store.ts'
import type { memberContract } from './contract.ts'
import type { MemberChanges } from './operator.ts'
import * as store from './store.ts'

type Calls = typeof memberContract
type Body<Name extends 'removeMember' | 'updateMemberRole' | 'hasPermission'> = z.output<Calls[Name]['body']>
type Query<Name extends 'listMembers' | 'getActiveMemberRole'> = z.output<Calls[Name]['query']>

export type Member = store.MemberWithUser

export interface Members {
  /** Lists a page of members, with the total number. Throws YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION. */
  list(
    principal: OrganizationPrincipal,
    query: Query<'listMembers'>,
  ): Promise<{ readonly members: Member[]; readonly total: number }>
  /** Removes a member. After that, the user's sessions no longer act for the organization. */
  remove(principal: OrganizationPrincipal, input: Body<'removeMember'>): Promise<Member>
  updateRole(principal: OrganizationPrincipal, input: Body<'updateMemberRole'>): Promise<Member>
  leave(principal: PersonPrincipal, idOrSlug: string): Promise<Member>
  /** Finds the caller's own membership. Throws MEMBER_NOT_FOUND. */
  find(principal: OrganizationPrincipal, named: NamedOrganization): Promise<Member>
  /** Returns the roles of the member with `userId`. Without `userId`, the roles of the principal. */
  roleOf(principal: OrganizationPrincipal, query: Query<'getActiveMemberRole'>): Promise<string>
  /** True if the caller has all of these permissions. Throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION. */
  may(principal: OrganizationPrincipal, input: Body<'hasPermission'>): Promise<boolean>
}

interface Deps extends Pick<Core, 'db' | 'transact'> {
  readonly roles: RoleTable
  readonly memberChanges: MemberChanges
  readonly sessions: Pick<Sessions, 'requireAlive'>
}

const { error } = organizationErrors

export const createMembers = ({ db, transact, sessions, roles, memberChanges }: Deps): Members => {
  const { parse, isOnlyOwner, onlyOwner, remove, changeRole } = memberChanges

  const requireMember = (member: Member | undefined): Member => {
    if (member === undefined) throw error('MEMBER_NOT_FOUND')
    return member
  }

  return {
    list: async (
      principal,
      { organizationId, organizationSlug, filterField, filterOperator: _, filterValue, search, ...page },
    ) => {
      const own = await findMembership(db, roles, principal, requireOrganization(principal, { organizationId, organizationSlug }))
      if (own === undefined) throw error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      const { id } = own.organization
      const filter = { search, ...(filterField === undefined ? {} : { [filterField]: filterValue }) }
      return store.pageOfMembers(db, id, { ...filter, ...page })
    },
    remove: async (principal, { memberIdOrEmail, ...named }) => {
      const name = requireOrganization(principal, named)
      const isEmail = memberIdOrEmail.includes('@')
      const by = isEmail ? { email: parseEmail(memberIdOrEmail) ?? '' } : { id: memberIdOrEmail }
      return transact(async (tx) => {
        await sessions.requireAlive(tx, principal)
        const own = await lockMembership(tx, roles, principal, name)
        const target = requireMember(own && (await store.findMember(tx, own.organization.id, by)))
        const theirs = splitRoles(target.role)
        const isCreator = own !== undefined && hasCreatorRole(roles, own.roles)
        if (hasCreatorRole(roles, theirs) && (!isCreator || (await isOnlyOwner(tx, target)))) throw onlyOwner()
        if (own === undefined || !can(principal, 'member:delete', own) || !managerCanManage(roles, own, theirs))
          throw error('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
        await remove(tx, principal, target)
        return target
      })
    },
    updateRole: async (principal, { memberId, role, ...named }) => {
      const name = requireOrganization(principal, named)
      return transact(async (tx) => {
        await sessions.requireAlive(tx, principal)
        const own = await lockMembership(tx, roles, principal, name)
        const target = requireMember(own && (await store.findMember(tx, own.organization.id, { id: memberId })))
        const theirs = splitRoles(target.role)
        if (own === undefined || !can(principal, 'member:update', own)) throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        const wanted = parse(role)
        if (!managerCanManage(roles, own, theirs) || !managerCanAssign(roles, own, wanted, theirs))
          throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        return changeRole(tx, principal, target, wanted)
      })
    },
    leave: (principal, idOrSlug) =>
      transact(async (tx) => {
        // The usual check of a membership is not used here. It would refuse a member who lacks a second factor that the organization
        // requires, and such a member may still leave.
        const id = await lockNamed(tx, { id: idOrSlug, slug: idOrSlug })
        const target = requireMember(id === undefined ? undefined : await store.findMember(tx, id, { userId: principal.user.id }))
        if (await isOnlyOwner(tx, target)) throw onlyOwner()
        await remove(tx, principal, target)
        return target
      }),
    find: async (principal, named) => {
      const own = await findMembership(db, roles, principal, requireOrganization(principal, named))
      return requireMember(own?.member && (await store.findMember(db, own.organization.id, { userId: own.member.userId })))
    },
    roleOf: async (principal, { userId, ...named }) => {
      const own = await findMembership(db, roles, principal, requireOrganization(principal, named))
      if (own === undefined) throw error('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      if (userId === undefined || userId === own.member?.userId) {
        if (own.member === undefined) throw error('MEMBER_NOT_FOUND')
        return own.member.role
      }
      const other = await store.findMembership(db, own.organization.id, userId)
      if (other === undefined) throw error('MEMBER_NOT_FOUND')
      return other.role
    },
    may: async (principal, { permissions, permission, ...named }) => {
      const own = await findMembership(db, roles, principal, requireOrganization(principal, named))
      if (own === undefined) throw error('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION')
      const wanted = permissions ?? permission ?? {}
      return Object.keys(wanted).length > 0 && managerAllows(own, wanted)
    },
  }
}
