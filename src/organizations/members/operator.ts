import { can } from '../../access/can.ts'
import type { PermittedPrincipal, Principal } from '../../access/principal.ts'
import type { RequireProof } from '../../access/proof.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { afterCommit, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import type { Actor } from '../../core/events/record.ts'
import type { Users } from '../../identity/users/index.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import type { InvitationEndings } from '../invitations/inviter.ts'
import * as invitations from '../invitations/store.ts'
import { canAssign, hasCreatorRole, joinRoles, parseRoles, type Roles, type RoleTable, splitRoles } from '../rules.ts'
import { lockNamed, lockOrganization } from '../store.ts'
import type { MemberAdder } from './add.ts'
import * as store from './store.ts'

type Member = store.MemberWithUser

const { error } = organizationErrors

/**
 * Changes members without checking permissions. The caller checks them, and has locked the organization. These functions make sure that
 * an organization always has an owner.
 */
export interface MemberChanges {
  /** Reads the names of roles. Throws ROLE_NOT_FOUND. */
  parse(role: string | readonly string[]): Roles
  /** True if no other member has the creator role. */
  isOnlyOwner(tx: Tx, member: store.MemberRow): Promise<boolean>
  onlyOwner(): Error
  /** Removes a member. After that, the user's sessions no longer act for the organization. */
  remove(tx: Tx, actor: Actor, member: Member): Promise<void>
  /**
   * Gives a member other roles. Throws YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER. If the member becomes an owner, also throws
   * the errors of `RequireProof`.
   */
  changeRole(tx: Tx, principal: Principal, member: Member, wanted: Roles): Promise<Member>
}

interface ChangeDeps extends Pick<Core, 'security' | 'events'> {
  readonly sessions: Sessions
  readonly roles: RoleTable
  readonly requireProof: RequireProof
}

export const createMemberChanges = ({ security, events, sessions, roles, requireProof }: ChangeDeps): MemberChanges => {
  const onlyOwner = () => error('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  const isOnlyOwner: MemberChanges['isOnlyOwner'] = (tx, { userId, organizationId }) =>
    store.isOnlyWithRole(tx, userId, roles.creatorRole, organizationId)

  return {
    onlyOwner,
    isOnlyOwner,
    parse: (role) => {
      const parsed = parseRoles(roles, role)
      if (parsed === undefined) throw error('ROLE_NOT_FOUND')
      return parsed
    },
    // The row of the membership is deleted before the sessions are changed. A session that activates the organization locks this row. So
    // it has either finished before, or finds no row.
    remove: async (tx, actor, { id, organizationId, userId }) => {
      await store.deleteMember(tx, organizationId, id)
      await sessions.clearActive(tx, { organizationId, userId })
      const about = { subject: userId, organizationId, data: { memberId: id } }
      await events.record(tx, actor, organizationEvents['member.removed'], about)
    },
    changeRole: async (tx, actor, member, wanted) => {
      if (hasCreatorRole(roles, wanted)) await requireProof(actor, 'give-ownership')
      if (!hasCreatorRole(roles, wanted) && (await isOnlyOwner(tx, member))) throw onlyOwner()
      const changed = { ...member, role: joinRoles(wanted) }
      await store.updateRole(tx, changed)
      const { userId, organizationId, role: formerRole } = member
      await events.record(tx, actor, organizationEvents['member.role_changed'], {
        ...{ subject: userId, organizationId },
        data: { memberId: member.id, role: changed.role, formerRole },
      })
      const changedBy = 'user' in actor ? actor.user.id : 'actorId' in actor ? actor.actorId : undefined
      const facts = { userId, organizationId, role: changed.role, formerRole }
      afterCommit(tx, () => security(actor, 'role.changed', changedBy === undefined ? facts : { ...facts, changedBy }))
      return changed
    },
  }
}

/**
 * Changes the members of any organization, for a principal with a permission on the instance. The rules of organizations still apply. A
 * person whose email address is not verified gets no additional role, unless `allowsUnverified` is set.
 */
export interface MemberOperator {
  /**
   * Makes a user a member without an invitation. Throws ORGANIZATION_NOT_FOUND, USER_NOT_FOUND, ADDRESS_IS_NOT_VERIFIED, ROLE_NOT_FOUND
   * and the errors of `MemberAdder.add`.
   */
  add(
    principal: PermittedPrincipal,
    input: Knowingly & { readonly organization: string; readonly user: string; readonly role: string },
  ): Promise<store.MemberRow>
  /** Gives a member other roles. Throws NOT_FOUND, ROLE_NOT_FOUND, ADDRESS_IS_NOT_VERIFIED and YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER. */
  changeRole(
    principal: PermittedPrincipal,
    input: Knowingly & { readonly organizationId: string; readonly memberId: string; readonly role: string | readonly string[] },
    ifMatch?: IfMatch<Member>,
  ): Promise<Member>
  /** Removes a member. Throws NOT_FOUND and YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER. */
  removeMember(
    principal: PermittedPrincipal,
    organizationId: string,
    memberId: string,
    ifMatch?: IfMatch<Member>,
  ): Promise<Member>
}

interface Knowingly {
  /** True if the operator accepts an email address that is not verified. */
  readonly allowsUnverified?: boolean | undefined
}

interface OperatorDeps extends Pick<Core, 'transact' | 'security' | 'clock'> {
  readonly roles: RoleTable
  readonly users: Users
  readonly memberAdder: MemberAdder
  readonly memberChanges: MemberChanges
  readonly invitationEndings: InvitationEndings
  readonly requireProof: RequireProof
}

export const createMemberOperator = (deps: OperatorDeps): MemberOperator => {
  const { transact, security, clock, users, roles, memberAdder, memberChanges, invitationEndings, requireProof } = deps

  const requireOperator = async (tx: Tx, principal: PermittedPrincipal) => {
    if (!can(principal, 'all-organizations:update') || !(await users.confirmPermissions(tx, principal)))
      throw coreErrors.error('FORBIDDEN')
  }

  const lockMember = async (tx: Tx, principal: PermittedPrincipal, organizationId: string, id: string): Promise<Member> => {
    await requireOperator(tx, principal)
    await lockOrganization(tx, organizationId)
    const member = await store.findMember(tx, organizationId, { id })
    if (member === undefined) throw coreErrors.error('NOT_FOUND', { message: 'Member not found' })
    return member
  }

  return {
    add: (principal, { organization: idOrSlug, user: named, role, allowsUnverified = false }) =>
      transact(async (tx) => {
        await requireOperator(tx, principal)
        await requireProof(principal, 'set-role')
        const organizationId = await lockNamed(tx, { id: idOrSlug, slug: idOrSlug })
        if (organizationId === undefined) throw error('ORGANIZATION_NOT_FOUND')
        const user = await users.requireFor(principal, tx, named)
        if (!allowsUnverified) users.requireVerified(user)
        const wanted = memberChanges.parse(role)
        // If the user had an invitation, it is no longer needed, and neither is the seat that it reserved.
        const pending = await invitations.findPending(tx, organizationId, user.email)
        if (pending !== undefined) await invitationEndings.cancel(tx, principal, pending)
        const held = await invitations.countPending(tx, organizationId, clock.now())
        const member = await memberAdder.add(tx, principal, { organizationId, userId: user.id, roles: wanted }, held)
        afterCommit(tx, () => security(principal, 'role.changed', { userId: user.id, organizationId, role: member.role }))
        return member
      }),
    changeRole: (principal, { organizationId, memberId, role, allowsUnverified = false }, ifMatch = anyState) =>
      transact(async (tx) => {
        const member = await lockMember(tx, principal, organizationId, memberId)
        ifMatch(member)
        await requireProof(principal, 'set-role')
        const wanted = memberChanges.parse(role)
        // Roles can be taken away even from a user whose email address is not verified. Only additional roles require a verified address.
        if (!allowsUnverified && !canAssign(roles, splitRoles(member.role), wanted))
          users.requireVerified(await users.require(tx, member.userId))
        return memberChanges.changeRole(tx, principal, member, wanted)
      }),
    removeMember: (principal, organizationId, memberId, ifMatch = anyState) =>
      transact(async (tx) => {
        const member = await lockMember(tx, principal, organizationId, memberId)
        ifMatch(member)
        if (await memberChanges.isOnlyOwner(tx, member)) throw memberChanges.onlyOwner()
        await memberChanges.remove(tx, principal, member)
        return member
      }),
  }
}
