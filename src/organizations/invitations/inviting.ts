import type { z } from 'zod'
import type { SystemCaller, UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Transact, Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { languageOfCall } from '../../core/language.ts'
import { networkOf } from '../../core/network.ts'
import { parseEmail } from '../../core/wire.ts'
import type { Limits } from '../../limits/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { User, Users } from '../../users/index.ts'
import { lockMembership, requireOrganization } from '../access.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import type { Joining } from '../joining.ts'
import { invitationMail } from '../mails.ts'
import * as members from '../members/store.ts'
import { isAllowed, joinRoles, mayGive, parseRoles, type Roles, type RoleTable, splitRoles } from '../rules.ts'
import { findOrganization, lockNamed, type OrganizationRow } from '../store.ts'
import { listTeamsById, listTeamsByName } from '../teams/store.ts'
import type { invitationContract } from './contract.ts'
import type { Proofs } from './proof.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'

export type InviteInput = z.output<(typeof invitationContract)['inviteMember']['body']>
export type InviteManyInput = z.output<(typeof invitationContract)['inviteMembers']['body']>

/** An operator invites to any organization, named by id or slug in `organizationId`, and to any role; teams may be named too. */
export type Inviter = UserCaller | SystemCaller

export interface Invited {
  readonly invitations: readonly store.InvitationRow[]
  readonly refused: readonly { readonly email: string; readonly code: string; readonly message: string }[]
}

export interface Inviting {
  invite(caller: Inviter, input: InviteInput): Promise<store.InvitationRow>
  /** Each address for itself; what would refuse all of them is thrown. */
  inviteMany(caller: UserCaller, input: InviteManyInput): Promise<Invited>
}

export interface InvitingDeps {
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly users: Users
  readonly mail: Pick<Mail, 'enqueue'>
  /** Lower-cased address. Throws INVALID_EMAIL. */
  readonly requireEmail: (text: string) => string
  readonly joining: Joining
  readonly proofs: Proofs
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
  readonly url: string
  /** Counts the invitations of an hour (security baseline, section 7; decision 0074); undefined when limits are off. */
  readonly limiter: Pick<Limits, 'hitWithin'> | undefined
}

/** Whom an invitation comes from. `roles` undefined: an operator, who may give any. */
interface Sender {
  readonly organization: OrganizationRow
  readonly user: Pick<User, 'id' | 'name' | 'language'> | undefined
  readonly roles: Roles | undefined
}

const listOf = (given: string | readonly string[] | undefined): readonly string[] => [
  ...new Set(typeof given === 'string' ? [given] : given),
]

const hourSeconds = 3_600
const tooMany = (retryAfterSeconds: number) =>
  coreErrors.refuse('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds })

export const createInviting = (deps: InvitingDeps): Inviting => {
  const { transact, clock, entropy, users, mail, joining, proofs, roles: table, config, limiter } = deps

  /** Locks the organization; what is counted in it stays true. */
  const lockSender = async (tx: Tx, caller: Inviter, input: Pick<InviteInput, 'organizationId'>): Promise<Sender> => {
    if (caller.kind === 'system') {
      const id = await lockNamed(tx, { id: input.organizationId ?? '', slug: input.organizationId ?? '' })
      const organization = id === undefined ? undefined : await findOrganization(tx, { id })
      if (organization === undefined) throw organizationErrors.refuse('ORGANIZATION_NOT_FOUND')
      return { organization, user: undefined, roles: undefined }
    }
    const own = await lockMembership(tx, caller, requireOrganization(caller, input))
    if (own === undefined) throw organizationErrors.refuse('MEMBER_NOT_FOUND')
    if (!isAllowed(table, own.roles, 'invitation', 'create'))
      throw organizationErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION')
    if (config.inviteNeedsVerifiedEmail && (await users.find(tx, caller.user.id))?.emailVerified !== true)
      throw organizationErrors.refuse('EMAIL_VERIFICATION_REQUIRED_BEFORE_INVITING')
    return { organization: own.organization, user: caller.user, roles: own.roles }
  }

  const requireMayGive = ({ roles }: Sender, given: Roles) => {
    if (roles !== undefined && !mayGive(table, roles, given))
      throw organizationErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE')
  }

  const rolesToGive = (sender: Sender, input: InviteInput['role']): Roles => {
    const roles = parseRoles(table, input)
    if (roles === undefined) throw organizationErrors.refuse('ROLE_NOT_FOUND')
    requireMayGive(sender, roles)
    return roles
  }

  const findTeams = async (tx: Tx, { organization, roles }: Sender, given: readonly string[]): Promise<readonly string[]> => {
    if (!config.teamsEnabled || given.length === 0) return []
    const known = new Set((await listTeamsById(tx, organization.id, given)).map(({ id }) => id))
    const ids: string[] = []
    for (const team of given) {
      const [named, other] = known.has(team) || roles !== undefined ? [] : await listTeamsByName(tx, organization.id, team)
      const id = known.has(team) ? team : named?.id
      if (id === undefined || other !== undefined) throw organizationErrors.refuse('TEAM_NOT_FOUND')
      ids.push(id)
    }
    return ids
  }

  /** Throws where more invitations would be too many: waiting, or for the seats that are left. */
  const requireMayAsk = async (tx: Tx, { organization: { id } }: Sender) => {
    const waiting = await store.countWaiting(tx, id, clock.now())
    if (waiting >= config.pendingInvitationLimit) throw organizationErrors.refuse('INVITATION_LIMIT_REACHED')
    await joining.requireSeat(tx, id, (await members.countMembers(tx, id)) + waiting)
  }

  /** Throws where more mails would be too many within an hour. Not by the rows: those of an organization that is deleted were mailed all the same. */
  const requireMayMail = async (tx: Tx, caller: Inviter, { organization, user }: Sender, email: string) => {
    if (limiter === undefined || user === undefined) return
    // What everybody shares comes last, so that its row is locked for a moment only.
    for (const [key, max] of [
      [`inviter:${user.id}`, config.invitationsPerMemberAndHour],
      [`inviting:${organization.id}`, config.invitationsPerHour],
      [`invited:${sha256(email)}`, config.invitationsPerRecipientAndHour],
      [`inviting-from:${networkOf(caller.address)}`, config.invitationsPerNetworkAndHour],
      ['inviting', config.invitationsInAllPerHour],
    ] as const) {
      const retryAfterSeconds = await limiter.hitWithin(tx, key, max, hourSeconds)
      if (retryAfterSeconds > 0) throw tooMany(retryAfterSeconds)
    }
  }

  const send = async (tx: Tx, caller: Inviter, sender: Sender, invitation: store.InvitationRow) => {
    const { id, email } = invitation
    const { organization, user } = sender
    const invitee = await users.findByEmail(tx, email)
    const isSent = await mail.enqueue(tx, {
      to: { name: invitee?.name ?? '', address: email },
      kind: 'invitation',
      words: invitationMail({
        email,
        name: invitee?.name ?? '',
        language: invitee?.language ?? user?.language ?? languageOfCall(caller),
        inviterName: user?.name,
        organization,
        url: `${deps.url}/invitation/${id}?${new URLSearchParams({ token: proofs.make(invitation) })}`,
        ttlSeconds: config.invitationTtlSeconds,
      }),
      // A few for each sender, so that nobody uses up alone what may be sent to an address.
      asker: { key: sha256(`inviter:${user?.id ?? ''}`), isKnown: false, isDue: user === undefined },
    })
    // Said aloud: who invites would wait for an answer to a mail that never went.
    if (!isSent) throw tooMany(hourSeconds)
    await requireMayMail(tx, caller, sender, email)
  }

  const invite: Inviting['invite'] = (caller, input) => {
    const email = deps.requireEmail(input.email)
    return transact(async (tx) => {
      const sender = await lockSender(tx, caller, input)
      const roles = rolesToGive(sender, input.role)
      const organizationId = sender.organization.id
      const invitee = await users.findByEmail(tx, email)
      if (invitee !== undefined && (await members.findMembership(tx, organizationId, invitee.id)) !== undefined)
        throw organizationErrors.refuse('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      const teamIds = await findTeams(tx, sender, listOf(input.teamId))
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + config.invitationTtlSeconds * 1000)
      const renewed = { expiresAt, inviterId: sender.user?.id ?? null }
      const pending = await store.findPending(tx, organizationId, email)
      if (pending !== undefined && stateOf(pending, now) === 'pending') {
        if (input.resend !== true) throw organizationErrors.refuse('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')
        requireMayGive(sender, splitRoles(pending.role))
        await store.prolong(tx, pending, renewed)
        await send(tx, caller, sender, pending)
        return { ...pending, ...renewed }
      }
      if (pending !== undefined) await store.settle(tx, pending, 'canceled')
      await requireMayAsk(tx, sender)
      const invitation = {
        ...{ id: entropy.id(), organizationId, email, role: joinRoles(roles), status: 'pending' as const },
        ...{ teamIds, ...renewed, createdAt: now },
      }
      await store.insertInvitation(tx, invitation)
      await send(tx, caller, sender, invitation)
      return invitation
    })
  }

  return {
    invite,
    inviteMany: async (caller, { emails, ...input }) => {
      await transact(async (tx) => {
        const sender = await lockSender(tx, caller, input)
        rolesToGive(sender, input.role)
        await findTeams(tx, sender, listOf(input.teamId))
      })
      const invitations: store.InvitationRow[] = []
      const refused: Invited['refused'][number][] = []
      for (const email of new Set(emails.map((text) => parseEmail(text) ?? text))) {
        try {
          invitations.push(await invite(caller, { ...input, email }))
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          refused.push({ email, code: error.code, message: error.message })
        }
      }
      return { invitations, refused }
    },
  }
}
