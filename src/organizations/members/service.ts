import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { OrganizationPrincipal, PersonPrincipal, SystemPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { afterCommit, type Tx } from '../../core/db/database.ts'
import { parseEmail } from '../../core/wire.ts'
import type { Users } from '../../identity/users/index.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import * as invitations from '../invitations/store.ts'
import { redactedId } from '../invitations/tokens.ts'
import type { MemberAdder } from '../members/add.ts'
import { findMembership, lockMembership, type NamedOrganization, requireOrganization } from '../memberships.ts'
import {
  hasCreatorRole,
  joinRoles,
  managerAllows,
  managerCanAssign,
  managerCanManage,
  parseRoles,
  type RoleTable,
  splitRoles,
} from '../rules.ts'
import { lockNamed } from '../store.ts'
import type { memberContract } from './contract.ts'
import * as store from './store.ts'

type Calls = typeof memberContract
type Body<Name extends 'removeMember' | 'updateMemberRole' | 'hasPermission'> = z.output<Calls[Name]['body']>
type Query<Name extends 'listMembers' | 'getActiveMemberRole'> = z.output<Calls[Name]['query']>

export type Member = store.MemberWithUser

export interface Members {
  /** A page of the members, and how many there are in all. Throws YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION. */
  list(
    principal: OrganizationPrincipal,
    query: Query<'listMembers'>,
  ): Promise<{ readonly members: Member[]; readonly total: number }>
  /** Removes a member; their sessions act for the organization no more. */
  remove(principal: OrganizationPrincipal, input: Body<'removeMember'>): Promise<Member>
  updateRole(principal: OrganizationPrincipal, input: Body<'updateMemberRole'>): Promise<Member>
  leave(principal: PersonPrincipal, organizationId: string): Promise<Member>
  /** The caller's own membership. Throws MEMBER_NOT_FOUND. */
  find(principal: OrganizationPrincipal, named: NamedOrganization): Promise<Member>
  /** The roles of a member; the principal's own without `userId`. */
  roleOf(principal: OrganizationPrincipal, query: Query<'getActiveMemberRole'>): Promise<string>
  /** True when the caller may do all of this. Throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION. */
  may(principal: OrganizationPrincipal, input: Body<'hasPermission'>): Promise<boolean>
  /** Makes a user a member without an invitation, for operators. Throws ORGANIZATION_NOT_FOUND, USER_NOT_FOUND, ROLE_NOT_FOUND and what refuses memberAdder. */
  add(
    principal: SystemPrincipal,
    input: { readonly organization: string; readonly user: string; readonly role: string },
  ): Promise<store.MemberRow>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'security' | 'clock' | 'events'> {
  readonly users: Users
  readonly sessions: Sessions
  readonly roles: RoleTable
  readonly memberAdder: MemberAdder
}

const { error } = organizationErrors

export const createMembers = ({ db, transact, security, clock, events, users, sessions, roles, memberAdder }: Deps): Members => {
  const onlyOwner = () => error('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')

  const isOnlyOwner = (tx: Tx, { userId, organizationId }: store.MemberRow) =>
    store.isOnlyWithRole(tx, userId, roles.creatorRole, organizationId)

  /** The membership row is deleted first: setting it active locks that row, so it is done before or finds nothing. */
  const remove = async (tx: Tx, principal: OrganizationPrincipal, { id, organizationId, userId }: Member) => {
    await store.deleteMember(tx, organizationId, id)
    await sessions.clearActive(tx, { organizationId, userId })
    const about = { subject: userId, organizationId, data: { memberId: id } }
    await events.record(tx, principal, organizationEvents['member.removed'], about)
  }

  const requireMember = (member: Member | undefined): Member => {
    if (member === undefined) throw error('MEMBER_NOT_FOUND')
    return member
  }

  const parse = (role: string | readonly string[]) => {
    const parsed = parseRoles(roles, role)
    if (parsed === undefined) throw error('ROLE_NOT_FOUND')
    return parsed
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
        const own = await lockMembership(tx, roles, principal, name)
        const target = requireMember(own && (await store.findMember(tx, own.organization.id, { id: memberId })))
        const theirs = splitRoles(target.role)
        if (own === undefined || !can(principal, 'member:update', own)) throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        const wanted = parse(role)
        if (!managerCanManage(roles, own, theirs) || !managerCanAssign(roles, own, wanted, theirs))
          throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        if (!hasCreatorRole(roles, wanted) && (await isOnlyOwner(tx, target))) throw onlyOwner()
        const changed = { ...target, role: joinRoles(wanted) }
        await store.updateRole(tx, changed)
        const { userId, organizationId } = target
        await events.record(tx, principal, organizationEvents['member.role_changed'], {
          ...{ subject: userId, organizationId },
          data: { memberId: target.id, role: changed.role, formerRole: target.role },
        })
        const facts = { userId, organizationId, role: changed.role }
        afterCommit(tx, () =>
          security(principal, 'role.changed', {
            ...facts,
            formerRole: target.role,
            changedBy: principal.kind === 'user' ? principal.user.id : principal.actorId,
          }),
        )
        return changed
      })
    },
    leave: (principal, organizationId) =>
      transact(async (tx) => {
        const own = await lockMembership(tx, roles, principal, { id: organizationId })
        const target = requireMember(own && (await store.findMember(tx, organizationId, { userId: principal.user.id })))
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
    add: (principal, { organization: idOrSlug, user: named, role }) =>
      transact(async (tx) => {
        const organizationId = await lockNamed(tx, { id: idOrSlug, slug: idOrSlug })
        if (organizationId === undefined) throw error('ORGANIZATION_NOT_FOUND')
        const user = await users.require(tx, named)
        // Who was invited needs no invitation any more, and no second seat.
        const pending = await invitations.findPending(tx, organizationId, user.email)
        if (pending !== undefined) {
          await invitations.settle(tx, pending, 'canceled')
          const about = { subject: redactedId(pending.id), organizationId, data: {} }
          await events.record(tx, principal, organizationEvents['invitation.canceled'], about)
        }
        const held = await invitations.countPending(tx, organizationId, clock.now())
        const member = await memberAdder.add(tx, principal, { organizationId, userId: user.id, roles: parse(role) }, held)
        afterCommit(tx, () => security(principal, 'role.changed', { userId: user.id, organizationId, role: member.role }))
        return member
      }),
  }
}
