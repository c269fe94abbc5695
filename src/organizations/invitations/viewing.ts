import type { z } from 'zod'
import type { Accounts } from '../../accounts/index.ts'
import type { Caller, UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/database.ts'
import type { Users } from '../../users/index.ts'
import { findMembership, requireOrganization } from '../access.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { type RoleTable, splitRoles } from '../rules.ts'
import { findOrganization } from '../store.ts'
import { notFound, notFoundWithMark, requireInviter, requireRecipient } from './answering.ts'
import type { invitationContract } from './contract.ts'
import { asSeenBy } from './discretion.ts'
import type { Proofs } from './proof.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'

type Calls = typeof invitationContract

export interface Viewing {
  /** To the recipient alone, as far as they may answer it as they are. Throws NOT_AUTHENTICATED to who is not signed in. */
  get(
    caller: Caller,
    id: string,
    token: string | undefined,
  ): Promise<store.InvitationOfUser & { readonly inviterEmail: string | null }>
  /** All of an organization, newest first, to every member (wire behaviour, section 11), with ids for those who invite. */
  list(caller: UserCaller, query: z.output<Calls['listInvitations']['query']>): Promise<store.InvitationRow[]>
  /** Those that wait for the caller, whose address must be verified: it is all that shows they are theirs. */
  listOwn(caller: UserCaller, email: string | undefined): Promise<store.InvitationOfUser[]>
  /** What the mail's link shows. Whether the address has an account is told to who has the mail. */
  view(caller: Caller, id: string, token: string | undefined): Promise<z.output<Calls['viewInvitation']['response']>>
}

export interface ViewingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly users: Users
  readonly accounts: Pick<Accounts, 'isSignUpOpen' | 'requireEmail'>
  readonly proofs: Proofs
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
}

const ownLimit = 100

export const createViewing = ({ db, clock, users, accounts, proofs, roles, config }: ViewingDeps): Viewing => ({
  get: async (caller, id, token) => {
    if (caller.kind !== 'user') throw organizationErrors.refuse('NOT_AUTHENTICATED')
    const invitation = await store.findInvitation(db, id)
    if (invitation === undefined || stateOf(invitation, clock.now()) !== 'pending') throw notFoundWithMark()
    const user = await users.find(db, caller.user.id)
    if (user === undefined) throw organizationErrors.refuse('NOT_AUTHENTICATED')
    requireRecipient(invitation, user, {
      isProven: proofs.isGood(invitation, token),
      needsVerified: config.acceptNeedsVerifiedEmail,
    })
    const organization = await findOrganization(db, { id: invitation.organizationId })
    if (organization === undefined) throw notFoundWithMark()
    const membership = await requireInviter(db, roles, invitation, notFoundWithMark)
    const inviter = membership === undefined ? undefined : await users.find(db, membership.userId)
    return {
      ...invitation,
      organizationName: organization.name,
      organizationSlug: organization.slug,
      inviterEmail: inviter?.email ?? null,
    }
  },

  list: async (caller, query) => {
    const own = await findMembership(db, caller, requireOrganization(caller, query, 'ORGANIZATION_ID_IS_REQUIRED'))
    if (own === undefined) throw organizationErrors.refuse('YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION')
    return (await store.listInvitations(db, own.organization.id, query)).map(asSeenBy(roles, own.member.role))
  },

  listOwn: async ({ user }, email) => {
    if (email !== undefined && accounts.requireEmail(email) !== user.email)
      throw organizationErrors.refuse('YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION')
    if (!user.emailVerified)
      throw organizationErrors.refuse('EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION')
    return store.listWaitingFor(db, user.email, clock.now(), ownLimit)
  },

  view: async (caller, id, token) => {
    const invitation = await store.findInvitation(db, id)
    const organization = invitation && (await findOrganization(db, { id: invitation.organizationId }))
    if (invitation === undefined || organization === undefined) throw notFound()
    const { email, inviterId, role, expiresAt } = invitation
    const state = stateOf(invitation, clock.now())
    const inviter = inviterId === null ? undefined : await users.find(db, inviterId)
    const hasAccount = !proofs.isGood(invitation, token) || (await users.findByEmail(db, email)) !== undefined
    return {
      ...{ state, email, expiresAt, hasAccount },
      organizationName: organization.name,
      inviterName: inviter?.name ?? null,
      roles: [...splitRoles(role)],
      caller: caller.kind === 'user' ? { email: caller.user.email, isInvited: caller.user.email === email } : null,
      maySignUp: !hasAccount && state === 'pending' && accounts.isSignUpOpen(config.invitedSignUpEnabled),
    }
  },
})
