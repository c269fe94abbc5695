import { isBanned } from '../../access/ban.ts'
import { can } from '../../access/can.ts'
import type { UserPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Mail } from '../../mail/index.ts'
import { organizationErrors } from '../errors.ts'
import { type OrganizationMailTexts, ownershipMail } from '../mails.ts'
import { lockMembership, type NamedOrganization, requireOrganization } from '../memberships.ts'
import { hasCreatorRole, type Roles, type RoleTable, splitRoles } from '../rules.ts'
import type { MemberChanges } from './operator.ts'
import * as store from './store.ts'

export interface OwnershipTransfer {
  /**
   * Makes another member the owner of the organization. The caller gives up the role of owner, and keeps the caller's other roles. If the
   * caller has no other role, the caller becomes an admin. Both people get a mail. The organization is locked, so that only one of
   * several simultaneous transfers succeeds, and the organization always has an owner. Throws MEMBER_NOT_FOUND,
   * YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER and the errors of `RequireProof`.
   */
  transfer(principal: UserPrincipal, input: NamedOrganization & { readonly memberId: string }): Promise<store.MemberWithUser>
}

interface Deps extends Pick<Core, 'transact' | 'clock' | 'url'> {
  readonly roles: RoleTable
  readonly memberChanges: MemberChanges
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly users: Pick<Users, 'find'>
  readonly mail: Pick<Mail, 'enqueue'>
  readonly mailTexts: OrganizationMailTexts
}

const { error } = organizationErrors

/** The roles of an owner without the role of owner. If none is left, another role is added, because a member has at least one role. */
const withoutOwnership = ({ creatorRole, roles }: RoleTable, owned: Roles): Roles => {
  const others = [...owned].filter((role) => role !== creatorRole)
  const least = ['admin', 'member'].find((role) => role !== creatorRole && roles.has(role))
  return new Set(others.length === 0 && least !== undefined ? [least] : others)
}

/** The roles of a member together with the role of owner. The role of plain members is removed, because an owner does not need it. */
const withOwnership = ({ creatorRole }: RoleTable, held: Roles): Roles =>
  new Set([...[...held].filter((role) => role !== 'member'), creatorRole])

export const createOwnershipTransfer = (deps: Deps): OwnershipTransfer => {
  const { transact, clock, url, roles, memberChanges, sessions, users, mail, mailTexts } = deps
  return {
    transfer: (principal, { memberId, ...named }) => {
      const name = requireOrganization(principal, named)
      return transact(async (tx) => {
        await sessions.requireAlive(tx, principal)
        const own = await lockMembership(tx, roles, principal, name)
        const target = own && (await store.findMember(tx, own.organization.id, { id: memberId }))
        if (target === undefined || own === undefined) throw error('MEMBER_NOT_FOUND')
        const { organization } = own
        const former = await store.findMember(tx, organization.id, { userId: principal.user.id })
        const banned = await store.findWithBan(tx, organization.id, target.userId)
        const isRefused =
          former === undefined ||
          former.id === target.id ||
          !can(principal, 'member:update', own) ||
          !hasCreatorRole(roles, own.roles) ||
          (banned !== undefined && isBanned(banned, clock.now()))
        if (isRefused) throw error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER')
        // The new owner gets the role before the former one gives it up, because the only owner cannot give it up.
        const next = await memberChanges.changeRole(tx, principal, target, withOwnership(roles, splitRoles(target.role)))
        await memberChanges.changeRole(tx, principal, former, withoutOwnership(roles, own.roles))
        const address = `${url}/account/organizations/${organization.slug}`
        for (const [kind, member, other] of [
          ['ownership-received', target, former],
          ['ownership-given', former, target],
        ] as const) {
          const user = await users.find(tx, member.userId)
          if (user === undefined) continue
          const { name: to, email, language } = user
          await mail.enqueue(tx, {
            to: { name: to, address: email },
            kind,
            content: ownershipMail({ kind, name: to, language, organization, other: other.user.name, url: address }, mailTexts),
          })
        }
        return next
      })
    },
  }
}
