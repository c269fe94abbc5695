import type { z } from 'zod'
import type { SystemCaller, UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { afterCommit, type Db, type Transact, type Tx } from '../../core/database.ts'
import type { SecurityLog } from '../../core/security-log.ts'
import { parseEmail } from '../../core/wire.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { Users } from '../../users/index.ts'
import { findMembership, lockMembership, type NamedOrganization, requireOrganization } from '../access.ts'
import { organizationErrors } from '../errors.ts'
import * as invitations from '../invitations/store.ts'
import type { Joining } from '../joining.ts'
import {
  allowsAll,
  holdsCreatorRole,
  isAllowed,
  joinRoles,
  mayGive,
  mayHandle,
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
  list(caller: UserCaller, query: Query<'listMembers'>): Promise<{ readonly members: Member[]; readonly total: number }>
  /** Removes a member; their sessions act for the organization no more. */
  remove(caller: UserCaller, input: Body<'removeMember'>): Promise<Member>
  updateRole(caller: UserCaller, input: Body<'updateMemberRole'>): Promise<Member>
  leave(caller: UserCaller, organizationId: string): Promise<Member>
  /** The caller's own membership. Throws MEMBER_NOT_FOUND. */
  find(caller: UserCaller, named: NamedOrganization): Promise<Member>
  /** The roles of a member, the caller's when nobody is named. */
  roleOf(caller: UserCaller, query: Query<'getActiveMemberRole'>): Promise<string>
  /** True when the caller may do all of this. Throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION. */
  may(caller: UserCaller, input: Body<'hasPermission'>): Promise<boolean>
  /** Makes a user a member without an invitation, for operators. Throws ORGANIZATION_NOT_FOUND, USER_NOT_FOUND, ROLE_NOT_FOUND and what refuses joining. */
  add(
    caller: SystemCaller,
    input: { readonly organization: string; readonly user: string; readonly role: string },
  ): Promise<store.MemberRow>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly security: SecurityLog
  readonly clock: Clock
  readonly users: Users
  readonly sessions: Sessions
  readonly roles: RoleTable
  readonly joining: Joining
}

const { refuse } = organizationErrors

export const createMembers = ({ db, transact, security, clock, users, sessions, roles, joining }: Deps): Members => {
  const onlyOwner = () => refuse('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')

  const isOnlyOwner = (tx: Tx, { userId, organizationId }: store.MemberRow) =>
    store.isOnlyHolder(tx, userId, roles.creatorRole, organizationId)

  /** The row goes first: whoever makes the organization a session's active one holds it until they are done. */
  const drop = async (tx: Tx, { id, organizationId, userId }: Member) => {
    await store.deleteMember(tx, organizationId, id)
    await sessions.clearActive(tx, { organizationId, userId })
  }

  const requireMember = (member: Member | undefined): Member => {
    if (member === undefined) throw refuse('MEMBER_NOT_FOUND')
    return member
  }

  const parse = (role: string | readonly string[]) => {
    const parsed = parseRoles(roles, role)
    if (parsed === undefined) throw refuse('ROLE_NOT_FOUND')
    return parsed
  }

  return {
    list: async (caller, { organizationId, organizationSlug, filterField, filterOperator: _, filterValue, search, ...page }) => {
      const own = await findMembership(db, caller, requireOrganization(caller, { organizationId, organizationSlug }))
      if (own === undefined) throw refuse('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      const { id } = own.organization
      const filter = { search, ...(filterField === undefined ? {} : { [filterField]: filterValue }) }
      return store.pageOfMembers(db, id, { ...filter, ...page })
    },
    remove: async (caller, { memberIdOrEmail, ...named }) => {
      const name = requireOrganization(caller, named)
      const isEmail = memberIdOrEmail.includes('@')
      const by = isEmail ? { email: parseEmail(memberIdOrEmail) ?? '' } : { id: memberIdOrEmail }
      return transact(async (tx) => {
        const own = await lockMembership(tx, caller, name)
        const target = requireMember(own && (await store.findMember(tx, own.organization.id, by)))
        const [mine, theirs] = [splitRoles(own?.member.role ?? ''), splitRoles(target.role)]
        if (holdsCreatorRole(roles, theirs) && (!holdsCreatorRole(roles, mine) || (await isOnlyOwner(tx, target))))
          throw onlyOwner()
        if (!isAllowed(roles, mine, 'member', 'delete') || !mayHandle(roles, mine, theirs))
          throw refuse('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
        await drop(tx, target)
        return target
      })
    },
    updateRole: async (caller, { memberId, role, ...named }) => {
      const name = requireOrganization(caller, named)
      return transact(async (tx) => {
        const own = await lockMembership(tx, caller, name)
        const target = requireMember(own && (await store.findMember(tx, own.organization.id, { id: memberId })))
        const [mine, theirs] = [splitRoles(own?.member.role ?? ''), splitRoles(target.role)]
        if (!isAllowed(roles, mine, 'member', 'update')) throw refuse('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        const wanted = parse(role)
        if (!mayHandle(roles, mine, theirs) || !mayGive(roles, mine, wanted, theirs))
          throw refuse('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        if (!holdsCreatorRole(roles, wanted) && (await isOnlyOwner(tx, target))) throw onlyOwner()
        const changed = { ...target, role: joinRoles(wanted) }
        await store.updateRole(tx, changed)
        const facts = { userId: target.userId, organizationId: target.organizationId, role: changed.role }
        afterCommit(tx, () => security(caller, 'role.changed', { ...facts, formerRole: target.role, changedBy: caller.user.id }))
        return changed
      })
    },
    leave: (caller, organizationId) =>
      transact(async (tx) => {
        const own = await lockMembership(tx, caller, { id: organizationId })
        const target = requireMember(own && (await store.findMember(tx, organizationId, { userId: caller.user.id })))
        if (await isOnlyOwner(tx, target)) throw onlyOwner()
        await drop(tx, target)
        return target
      }),
    find: async (caller, named) => {
      const own = await findMembership(db, caller, requireOrganization(caller, named))
      return requireMember(own && (await store.findMember(db, own.organization.id, { userId: caller.user.id })))
    },
    roleOf: async (caller, { userId, ...named }) => {
      const own = await findMembership(db, caller, requireOrganization(caller, named))
      if (own === undefined) throw refuse('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
      if (userId === undefined || userId === caller.user.id) return own.member.role
      const other = await store.findMembership(db, own.organization.id, userId)
      if (other === undefined) throw refuse('MEMBER_NOT_FOUND')
      return other.role
    },
    may: async (caller, { permissions, permission, ...named }) => {
      const own = await findMembership(db, caller, requireOrganization(caller, named))
      if (own === undefined) throw refuse('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION')
      const wanted = permissions ?? permission ?? {}
      return Object.keys(wanted).length > 0 && allowsAll(roles, own.roles, wanted)
    },
    add: (caller, { organization: idOrSlug, user: named, role }) =>
      transact(async (tx) => {
        const organizationId = await lockNamed(tx, { id: idOrSlug, slug: idOrSlug })
        if (organizationId === undefined) throw refuse('ORGANIZATION_NOT_FOUND')
        const user = await users.require(tx, named)
        // Who was invited needs no invitation any more, and no second seat.
        const pending = await invitations.findPending(tx, organizationId, user.email)
        if (pending !== undefined) await invitations.settle(tx, pending, 'canceled')
        const held = await invitations.countWaiting(tx, organizationId, clock.now())
        const member = await joining.join(tx, { organizationId, userId: user.id, roles: parse(role) }, held)
        afterCommit(tx, () => security(caller, 'role.changed', { userId: user.id, organizationId, role: member.role }))
        return member
      }),
  }
}
