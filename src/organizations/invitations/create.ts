import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { OrganizationPrincipal, PermittedPrincipal, SystemPrincipal } from '../../access/principal.ts'
import type { RequireProof } from '../../access/proof.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Tx } from '../../core/db/database.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { languageOfCall } from '../../core/language.ts'
import { networkOf } from '../../core/network.ts'
import { hourSeconds } from '../../core/time.ts'
import { withQuery } from '../../core/web.ts'
import { parseEmail } from '../../core/wire.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Limits } from '../../limits/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { OrganizationsConfig } from '../config.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import { invitationMail, type OrganizationMailTexts } from '../mails.ts'
import type { MemberAdder } from '../members/add.ts'
import * as members from '../members/store.ts'
import { lockMembership, requireOrganization } from '../memberships.ts'
import {
  hasCreatorRole,
  joinRoles,
  type Manager,
  managerCanAssign,
  parseRoles,
  type Roles,
  type RoleTable,
  splitRoles,
} from '../rules.ts'
import { findOrganization, lockNamed, type OrganizationRow } from '../store.ts'
import { listTeamsById, listTeamsByName } from '../teams/store.ts'
import type { invitationContract } from './contract.ts'
import { type InvitationEndings, isAnsweredFor } from './inviter.ts'
import { stateOf } from './rules.ts'
import * as store from './store.ts'
import { type InvitationTokens, redactedId } from './tokens.ts'

export type InviteInput = z.output<(typeof invitationContract)['inviteMember']['body']>
export type InviteManyInput = z.output<(typeof invitationContract)['inviteMembers']['body']>

/** Who may invite. A command-line operator can choose any organization (by id or slug), any role and any teams. */
export type Inviter = OrganizationPrincipal | SystemPrincipal

export interface Invited {
  readonly invitations: readonly store.InvitationRow[]
  readonly refused: readonly { readonly email: string; readonly code: string; readonly message: string }[]
}

export interface CreateInvitations {
  invite(principal: Inviter, input: InviteInput): Promise<store.InvitationRow>
  /** Invites a person for a principal with a permission on the instance. The organization and the role may be any. */
  inviteAsOperator(principal: PermittedPrincipal, input: InviteInput): Promise<store.InvitationRow>
  /** Invites several people. If one of them cannot be invited, the others still are. An error that concerns all of them is thrown. */
  inviteMany(principal: OrganizationPrincipal, input: InviteManyInput): Promise<Invited>
  /**
   * The URL of the page of an invitation. The inviter can pass it on to the invited person. It does not contain the token of the mail, so
   * opening it does not verify an email address.
   */
  linkOf(invitation: Pick<store.InvitationRow, 'id'>): string
}

export interface CreateDeps extends Pick<Core, 'transact' | 'clock' | 'random' | 'events' | 'url'> {
  /** The name of the operator, for the subjects of mails. Undefined if it is not configured. */
  readonly company: () => string | undefined
  readonly mailTexts: OrganizationMailTexts
  readonly users: Users
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly mail: Pick<Mail, 'enqueue'>
  readonly memberAdder: MemberAdder
  readonly tokens: InvitationTokens
  readonly invitationEndings: InvitationEndings
  readonly roles: RoleTable
  readonly config: OrganizationsConfig
  readonly requireProof: RequireProof
  /**
   * Limits the number of invitations within an hour (security baseline, section 7; docs/design/organizations.md#invitations). Undefined
   * if the configuration disables limits.
   */
  readonly limiter: Pick<Limits, 'hitWithin'> | undefined
}

/** Who sends an invitation, and what limits the sender. */
interface Sender {
  readonly organization: OrganizationRow
  /**
   * The person who invites. Undefined for an operator and for an API key of the organization. Then the mail names the organization as the
   * sender.
   */
  readonly user: Pick<User, 'id' | 'name' | 'language'> | undefined
  /** Identifies the sender in the limits. Undefined for an operator, because an operator has no limit. */
  readonly countedBy: string | undefined
  /** Decides which roles the sender may assign. Undefined for an operator, because an operator may assign any role. */
  readonly manager: Manager | undefined
}

const listOf = (given: string | readonly string[] | undefined): readonly string[] => [
  ...new Set(typeof given === 'string' ? [given] : given),
]

const tooManyRequests = (retryAfterSeconds: number) =>
  coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds })

/** Locks the organization until the transaction ends, so that the numbers of its members and invitations do not change after they are counted. */
const lockSender = async (
  { users, sessions, roles: table, config }: CreateDeps,
  tx: Tx,
  principal: OrganizationPrincipal | undefined,
  input: Pick<InviteInput, 'organizationId'>,
): Promise<Sender> => {
  if (principal === undefined) {
    const id = await lockNamed(tx, { id: input.organizationId ?? '', slug: input.organizationId ?? '' })
    const organization = id === undefined ? undefined : await findOrganization(tx, { id })
    if (organization === undefined) throw organizationErrors.error('ORGANIZATION_NOT_FOUND')
    return { organization, user: undefined, countedBy: undefined, manager: undefined }
  }
  await sessions.requireAlive(tx, principal)
  const own = await lockMembership(tx, table, principal, requireOrganization(principal, input))
  if (own === undefined) throw organizationErrors.error('MEMBER_NOT_FOUND')
  if (!can(principal, 'invitation:create', own))
    throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION')
  const { organization } = own
  const isOwned = async () => members.hasVerifiedWithRole(tx, organization.id, table.creatorRole)
  if (!('user' in principal) && config.inviteNeedsVerifiedEmail && !(await isOwned()))
    throw organizationErrors.error('EMAIL_VERIFICATION_REQUIRED_BEFORE_INVITING')
  if (!('user' in principal)) return { organization, user: undefined, countedBy: principal.actorId, manager: own }
  const { user } = principal
  if (config.inviteNeedsVerifiedEmail && (await users.find(tx, user.id))?.emailVerified !== true)
    throw organizationErrors.error('EMAIL_VERIFICATION_REQUIRED_BEFORE_INVITING')
  return { organization, user, countedBy: user.id, manager: own }
}

const requireCanAssign = ({ roles: table }: CreateDeps, { manager }: Sender, given: Roles) => {
  if (manager !== undefined && !managerCanAssign(table, manager, given))
    throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE')
}

const rolesToAssign = (deps: CreateDeps, sender: Sender, input: InviteInput['role']): Roles => {
  const { roles: table } = deps
  const roles = parseRoles(table, input)
  if (roles === undefined) throw organizationErrors.error('ROLE_NOT_FOUND')
  requireCanAssign(deps, sender, roles)
  return roles
}

const findTeams = async (
  { config }: CreateDeps,
  tx: Tx,
  { organization, manager }: Sender,
  given: readonly string[],
): Promise<readonly string[]> => {
  if (!config.teamsEnabled || given.length === 0) return []
  const known = new Set((await listTeamsById(tx, organization.id, given)).map(({ id }) => id))
  const ids: string[] = []
  for (const team of given) {
    const [named, other] = known.has(team) || manager !== undefined ? [] : await listTeamsByName(tx, organization.id, team)
    const id = known.has(team) ? team : named?.id
    if (id === undefined || other !== undefined) throw organizationErrors.error('TEAM_NOT_FOUND')
    ids.push(id)
  }
  return ids
}

/** Throws if the organization has too many pending invitations, or if it has no free seat. */
const requireInvitationCapacity = async (
  { clock, memberAdder, config }: CreateDeps,
  tx: Tx,
  { organization: { id } }: Sender,
) => {
  const waiting = await store.countPending(tx, id, clock.now())
  if (waiting >= config.pendingInvitationLimit) throw organizationErrors.error('INVITATION_LIMIT_REACHED')
  await memberAdder.requireSeat(tx, id, { members: await members.countMembers(tx, id), invitations: waiting })
}

/**
 * Throws if too many invitation mails were sent within an hour. The mails are counted separately and not by the rows of invitations,
 * because a deleted invitation would no longer be counted.
 */
const requireMailQuota = async (
  { config, limiter }: CreateDeps,
  tx: Tx,
  principal: PermittedPrincipal,
  { organization, countedBy }: Sender,
  email: string,
) => {
  if (limiter === undefined || countedBy === undefined) return
  // The counter that all senders share comes last, so that its row stays locked only briefly.
  for (const [key, max] of [
    [`inviter:${countedBy}`, config.invitationsPerMemberAndHour],
    [`inviting:${organization.id}`, config.invitationsPerHour],
    [`invited:${sha256(email)}`, config.invitationsPerRecipientAndHour],
    [`inviting-from:${networkOf(principal.address)}`, config.invitationsPerNetworkAndHour],
    ['inviting', config.invitationsInAllPerHour],
  ] as const) {
    const retryAfterSeconds = await limiter.hitWithin(tx, key, max, hourSeconds)
    if (retryAfterSeconds > 0) throw tooManyRequests(retryAfterSeconds)
  }
}

const linkOf = (deps: CreateDeps, { id }: Pick<store.InvitationRow, 'id'>) => `${deps.url}/invitation/${id}`

const sendInvitation = async (
  deps: CreateDeps,
  tx: Tx,
  principal: PermittedPrincipal,
  sender: Sender,
  invitation: store.InvitationRow,
) => {
  const { users, mail, tokens, config } = deps
  const { email } = invitation
  const { organization, user } = sender
  const invitee = await users.findByEmail(tx, email)
  const isSent = await mail.enqueue(tx, {
    to: { name: invitee?.name ?? '', address: email },
    kind: 'invitation',
    content: invitationMail(
      {
        email,
        name: invitee?.name ?? '',
        language: invitee?.language ?? user?.language ?? languageOfCall(principal),
        inviterName: user?.name,
        organization,
        company: deps.company(),
        url: withQuery(linkOf(deps, invitation), { token: tokens.issue(invitation) }),
        ttlSeconds: config.invitationTtlSeconds,
      },
      deps.mailTexts,
    ),
    // This limit counts mails of one sender to one address. If it counted the mails of all senders, one sender could use up the limit of
    // an address.
    requester: { key: sha256(`inviter:${sender.countedBy ?? ''}`), isKnown: false, isDue: sender.countedBy === undefined },
  })
  // The caller gets an error, so that the sender learns that no mail was sent.
  if (!isSent) throw tooManyRequests(hourSeconds)
  await requireMailQuota(deps, tx, principal, sender, email)
}

const recordInvited = (
  { events }: CreateDeps,
  tx: Tx,
  principal: PermittedPrincipal,
  { id, organizationId, role }: store.InvitationRow,
  isRenewed: boolean,
) =>
  events.record(tx, principal, organizationEvents['invitation.created'], {
    ...{ subject: redactedId(id), organizationId },
    data: { role, isRenewed },
  })

/** Invites one person. `member` is the principal that invites, as a member or an API key. Undefined if an operator invites. */
const inviteBy = (
  deps: CreateDeps,
  principal: PermittedPrincipal,
  member: OrganizationPrincipal | undefined,
  input: InviteInput,
) => {
  const { transact, clock, random, users, roles: table, config, requireProof, invitationEndings } = deps
  const email = users.requireEmail(input.email)
  return transact(async (tx) => {
    if (member === undefined && !(await users.confirmPermissions(tx, principal))) throw coreErrors.error('FORBIDDEN')
    const sender = await lockSender(deps, tx, member, input)
    const roles = rolesToAssign(deps, sender, input.role)
    if (hasCreatorRole(table, roles)) await requireProof(principal, 'give-ownership')
    const organizationId = sender.organization.id
    const invitee = await users.findByEmail(tx, email)
    if (invitee !== undefined && (await members.findMembership(tx, organizationId, invitee.id)) !== undefined)
      throw organizationErrors.error('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
    const teamIds = await findTeams(deps, tx, sender, listOf(input.teamId))
    const now = clock.now()
    const expiresAt = new Date(now.getTime() + config.invitationTtlSeconds * 1000)
    const renewed = { expiresAt, inviterId: sender.user?.id ?? null, byOperator: sender.user === undefined }
    const pending = await store.findPending(tx, organizationId, email)
    const isOpen = pending !== undefined && stateOf(pending, now) === 'pending'
    if (isOpen && (await isAnsweredFor(tx, table, pending))) {
      if (input.resend !== true) throw organizationErrors.error('USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')
      requireCanAssign(deps, sender, splitRoles(pending.role))
      await store.renewInvitation(tx, pending, renewed)
      await recordInvited(deps, tx, principal, pending, true)
      await sendInvitation(deps, tx, principal, sender, pending)
      return { ...pending, ...renewed }
    }
    // The inviter may have lost the right to assign the role because the configuration changed. No event reports such a change, so the
    // invitation is canceled here.
    if (isOpen) await invitationEndings.cancel(tx, principal, pending)
    else if (pending !== undefined) await store.settle(tx, pending, 'canceled')
    await requireInvitationCapacity(deps, tx, sender)
    const invitation = {
      ...{ id: random.id(), organizationId, email, role: joinRoles(roles), status: 'pending' as const },
      ...{ teamIds, ...renewed, createdAt: now },
    }
    await store.insertInvitation(tx, invitation)
    await recordInvited(deps, tx, principal, invitation, false)
    await sendInvitation(deps, tx, principal, sender, invitation)
    return invitation
  })
}

const inviteAs =
  (deps: CreateDeps): CreateInvitations['invite'] =>
  (principal, input) =>
    inviteBy(deps, principal, principal.kind === 'system' ? undefined : principal, input)

const inviteMany =
  (deps: CreateDeps, invite: CreateInvitations['invite']): CreateInvitations['inviteMany'] =>
  async (principal, { emails, ...input }) => {
    await deps.transact(async (tx) => {
      const sender = await lockSender(deps, tx, principal, input)
      rolesToAssign(deps, sender, input.role)
      await findTeams(deps, tx, sender, listOf(input.teamId))
    })
    const invitations: store.InvitationRow[] = []
    const refused: Invited['refused'][number][] = []
    for (const email of new Set(emails.map((text) => parseEmail(text) ?? text))) {
      try {
        invitations.push(await invite(principal, { ...input, email }))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        refused.push({ email, code: error.code, message: error.message })
      }
    }
    return { invitations, refused }
  }

export const createCreateInvitations = (deps: CreateDeps): CreateInvitations => {
  const invite = inviteAs(deps)

  return {
    invite,
    linkOf: (invitation) => linkOf(deps, invitation),
    inviteAsOperator: async (principal, input) => {
      if (!can(principal, 'all-organizations:update')) throw coreErrors.error('FORBIDDEN')
      return inviteBy(deps, principal, undefined, input)
    },
    inviteMany: inviteMany(deps, invite),
  }
}
