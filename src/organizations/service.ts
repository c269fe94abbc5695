import type { z } from 'zod'
import type { Caller, SystemCaller, UserCaller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { type Db, lockRow, type Transact, type Tx, uniqueViolation } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import type { Sessions } from '../sessions/index.ts'
import type { User, Users } from '../users/index.ts'
import { findMembership, lockMembership, type NamedOrganization, organizationOf, requireOrganization } from './access.ts'
import type { OrganizationsConfig } from './config.ts'
import type { CreateOrganization, organizationContract } from './contract.ts'
import { organizationErrors } from './errors.ts'
import { asSeenBy } from './invitations/discretion.ts'
import { type InvitationRow, listWaiting } from './invitations/store.ts'
import type { Joining } from './joining.ts'
import * as members from './members/store.ts'
import { isAllowed, type RoleTable } from './rules.ts'
import * as store from './store.ts'
import { insertTeam, insertTeamMember, listTeams, type TeamRow } from './teams/store.ts'

/** A tenant: people, and what they have paid for, belong to it. */
export type Organization = store.OrganizationRow

export interface CreatedOrganization extends Organization {
  readonly members: (members.MemberRow & { readonly teamId: string | null })[]
}

export interface FullOrganization extends Organization {
  readonly members: members.MemberWithUser[]
  readonly invitations: InvitationRow[]
  readonly teams: TeamRow[]
}

type Calls = typeof organizationContract
type Body<Name extends 'createOrganization' | 'updateOrganization' | 'setActiveOrganization'> = z.output<Calls[Name]['body']>

export interface Organizations {
  /**
   * Creates an organization whose creator role the caller has; the session acts for it from then on.
   * Throws YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION, YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS and
   * ORGANIZATION_ALREADY_EXISTS; the unique index decides.
   */
  create(caller: UserCaller, input: Body<'createOrganization'>): Promise<CreatedOrganization>
  /** The same for an operator: `owner`, an id or address, becomes its member with the creator role. Throws USER_NOT_FOUND too. */
  createFor(
    caller: SystemCaller,
    input: z.output<typeof CreateOrganization>,
    owner: string | undefined,
  ): Promise<Organization & { readonly ownerId: string | null }>
  /** Throws SLUG_IS_TAKEN. */
  requireFreeSlug(slug: string): Promise<void>
  update(caller: Caller, input: Body<'updateOrganization'>): Promise<Organization>
  /** Throws FORBIDDEN where organizations cannot be deleted. */
  remove(caller: UserCaller, organizationId: string): Promise<Organization>
  /** The same for an operator, also where members cannot delete. Throws ORGANIZATION_NOT_FOUND. */
  removeById(caller: SystemCaller, id: string): Promise<void>
  /** What an operator names by id or slug. Throws ORGANIZATION_NOT_FOUND. */
  require(idOrSlug: string): Promise<store.ListedOrganization>
  /** The caller's organizations with their roles in each, oldest first. */
  listOwn(userId: string, page: members.Page): Promise<(Organization & { readonly role: string })[]>
  /** All organizations, for operators. */
  list(search: string | undefined, page: members.Page): Promise<readonly store.ListedOrganization[]>
  /** Undefined when none is named or active. Throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION. */
  find(caller: UserCaller, named: NamedOrganization): Promise<Organization | undefined>
  /** The same with what is in it. An outsider's session acts for none from then on. */
  findFull(caller: UserCaller, named: NamedOrganization): Promise<FullOrganization | undefined>
  /** The session acts for the organization, or for none. Throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION; it acts for none then too. */
  setActive(caller: UserCaller, input: Body<'setActiveOrganization'>): Promise<FullOrganization | undefined>
  /** Asked before a user is deleted. Throws YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER. */
  refuseOnlyOwner(tx: Tx, user: { readonly id: string }): Promise<void>
}

/** Told in the transaction that deletes an organization, before it does; its row is locked. */
export type BeforeRemoval = (tx: Tx, organization: { readonly id: string }) => Promise<unknown>

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly users: Users
  readonly sessions: Sessions
  readonly config: OrganizationsConfig
  readonly roles: RoleTable
  readonly joining: Joining
  readonly beforeRemoval: readonly BeforeRemoval[]
}

/** The first of each list in a full organization; the rest is read page by page. */
const fullLimit = 100
const firstMembers = { limit: fullLimit, offset: 0, sortBy: 'createdAt', sortDirection: 'asc' } as const

const outsider = (status: 400 | 403) => organizationErrors.refuse('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION', { status })

export const createOrganizations = (deps: Deps): Organizations => {
  const { db, transact, clock, entropy, users, sessions, config, roles, joining, beforeRemoval } = deps
  const creator = new Set([roles.creatorRole])

  const slugTaken = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } catch (error) {
      if (uniqueViolation(error) !== undefined) throw organizationErrors.refuse('ORGANIZATION_ALREADY_EXISTS')
      throw error
    }
  }

  /** The organization with its first team and its first member, who is in the team. */
  const insert = async (
    tx: Tx,
    input: Pick<Organization, 'name' | 'slug' | 'logo' | 'metadata'>,
    ownerId: string | undefined,
  ) => {
    const createdAt = clock.now()
    const organization = { id: entropy.id(), createdAt, ...input }
    await slugTaken(() => store.insertOrganization(tx, organization))
    const of = { organizationId: organization.id, createdAt }
    const team = config.teamsEnabled ? { id: entropy.id(), name: input.name, updatedAt: null, ...of } : undefined
    if (team !== undefined) await insertTeam(tx, team)
    const member = ownerId === undefined ? undefined : await joining.join(tx, { ...of, userId: ownerId, roles: creator })
    if (team !== undefined && ownerId !== undefined)
      await insertTeamMember(tx, { id: entropy.id(), teamId: team.id, userId: ownerId, ...of })
    return { organization, member, teamId: team?.id ?? null }
  }

  const mayCreate = ({ user }: UserCaller): boolean =>
    ({ everybody: true, verified: user.emailVerified, admins: user.role === 'admin', nobody: false })[config.creation]

  const fill = async ({ organization, member }: members.OwnRow): Promise<FullOrganization> => ({
    ...organization,
    members: await members.listMembers(db, organization.id, firstMembers),
    invitations: (await listWaiting(db, organization.id, clock.now(), fullLimit)).map(asSeenBy(roles, member.role)),
    teams: config.teamsEnabled ? await listTeams(db, organization.id, fullLimit) : [],
  })

  const drop = async (tx: Tx, organizationId: string) => {
    await lockRow(tx, 'organization', organizationId)
    for (const tell of beforeRemoval) await tell(tx, { id: organizationId })
    if (!(await store.deleteOrganization(tx, organizationId))) throw organizationErrors.refuse('ORGANIZATION_NOT_FOUND')
    await sessions.clearActive(tx, { organizationId })
  }

  const actForNone = async (tx: Tx, { session }: UserCaller) => void (await sessions.setActive(tx, session.id, null, null))

  return {
    create: (caller, { name, slug, logo = null, metadata = null, keepCurrentActiveOrganization }) =>
      transact(async (tx) => {
        if (!mayCreate(caller)) throw organizationErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION')
        if (config.limitPerUser !== null) {
          // Of two creations at once the second sees the first.
          await lockRow(tx, 'user', caller.user.id)
          if ((await members.countHeld(tx, caller.user.id, roles.creatorRole)) >= config.limitPerUser)
            throw organizationErrors.refuse('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS')
        }
        const { organization, member, teamId } = await insert(tx, { name, slug, logo, metadata }, caller.user.id)
        if (keepCurrentActiveOrganization !== true) await sessions.setActive(tx, caller.session.id, organization.id, teamId)
        return { ...organization, members: member === undefined ? [] : [{ ...member, teamId }] }
      }),
    createFor: (_caller, { name, slug }, owner) =>
      transact(async (tx) => {
        const user: User | undefined = owner === undefined ? undefined : await users.require(tx, owner)
        const { organization } = await insert(tx, { name, slug, logo: null, metadata: null }, user?.id)
        return { ...organization, ownerId: user?.id ?? null }
      }),
    requireFreeSlug: async (slug) => {
      if (await store.isSlugTaken(db, slug)) throw organizationErrors.refuse('SLUG_IS_TAKEN')
    },
    update: async (caller, { data, ...named }) => {
      if (caller.kind !== 'user') throw new AppError('USER_NOT_FOUND', 401, 'User not found')
      const name = requireOrganization(caller, named, 'ORGANIZATION_NOT_FOUND')
      return transact(async (tx) => {
        const own = await lockMembership(tx, caller, name)
        if (own === undefined) throw outsider(400)
        if (!isAllowed(roles, own.roles, 'organization', 'update'))
          throw organizationErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
        const { organization } = own
        const changed: Organization = {
          ...organization,
          name: data.name ?? organization.name,
          slug: data.slug ?? organization.slug,
          logo: data.logo === undefined ? organization.logo : data.logo,
          metadata: data.metadata === undefined ? organization.metadata : data.metadata,
        }
        await slugTaken(() => store.updateOrganization(tx, changed))
        return changed
      })
    },
    remove: async (caller, organizationId) => {
      // First, so that nothing changes where nothing can be deleted.
      if (!config.deletionEnabled) throw coreErrors.refuse('FORBIDDEN')
      return transact(async (tx) => {
        const own = await lockMembership(tx, caller, { id: organizationId })
        if (own === undefined) throw outsider(400)
        if (!isAllowed(roles, own.roles, 'organization', 'delete'))
          throw organizationErrors.refuse('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION')
        await drop(tx, organizationId)
        return own.organization
      })
    },
    removeById: (_caller, id) => transact((tx) => drop(tx, id)),
    require: async (idOrSlug) => {
      const found = await store.findOrganization(db, { id: idOrSlug, slug: idOrSlug })
      if (found === undefined) throw organizationErrors.refuse('ORGANIZATION_NOT_FOUND')
      return { ...found, memberCount: await members.countMembers(db, found.id) }
    },
    listOwn: async (userId, page) =>
      (await members.listOwn(db, userId, page)).map(({ organization, member }) => ({ ...organization, role: member.role })),
    list: (search, page) => store.listOrganizations(db, { search, ...page }),
    find: async (caller, named) => {
      const name = organizationOf(caller, named)
      if (name === undefined) return undefined
      const own = await findMembership(db, caller, name)
      if (own === undefined) throw outsider(403)
      return own.organization
    },
    findFull: async (caller, named) => {
      const name = organizationOf(caller, named)
      if (name === undefined) return undefined
      const own = await findMembership(db, caller, name)
      if (own !== undefined) return fill(own)
      await transact((tx) => actForNone(tx, caller))
      throw outsider(403)
    },
    setActive: async (caller, { organizationId, organizationSlug }) => {
      const name = organizationId === null ? undefined : organizationOf(caller, { organizationId, organizationSlug })
      const entered = await transact(async (tx) => {
        const own = name === undefined ? undefined : await members.lockOwn(tx, caller.user.id, name)
        if (own === undefined) await actForNone(tx, caller)
        else await sessions.setActive(tx, caller.session.id, own.organization.id, null)
        return own
      })
      if (entered !== undefined) return fill(entered)
      // Thrown here: that the session acts for none must be kept.
      if (name !== undefined) throw outsider(403)
      return undefined
    },
    refuseOnlyOwner: async (tx, { id }) => {
      await store.lockOrganizationsOf(tx, id)
      if (await members.isOnlyHolder(tx, id, roles.creatorRole))
        throw organizationErrors.refuse('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    },
  }
}
