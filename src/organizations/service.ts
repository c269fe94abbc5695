import type { z } from 'zod'
import { can } from '../access/can.ts'
import {
  type OrganizationPrincipal,
  type PermittedPrincipal,
  type PersonPrincipal,
  type Principal,
  sessionOf,
  type UserPrincipal,
} from '../access/principal.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import type { Core } from '../core/core.ts'
import { type Db, lockRow, type Tx } from '../core/db/database.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import { anyState, type IfMatch } from '../core/etag.ts'
import type { User, Users } from '../identity/users/index.ts'
import type { CreateOrganization, organizationContract } from './contract.ts'
import { organizationErrors } from './errors.ts'
import { redactFor } from './invitations/read.ts'
import { type InvitationRow, listPending } from './invitations/store.ts'
import * as members from './members/store.ts'
import {
  findMembership,
  isInOrganizations,
  lockMembership,
  lockOwnMembership,
  type Membership,
  type NamedOrganization,
  organizationOf,
  requireOrganization,
} from './memberships.ts'
import * as store from './store.ts'
import { listTeams, type TeamRow } from './teams/store.ts'
import { changeOrganization, deleteOrganization, insertWithOwner, type WriteDeps } from './write.ts'

/** An organization. Its members are users, and it can own purchases. */
export type Organization = store.OrganizationRow

export interface OrganizationWithCount extends Organization {
  readonly memberCount: number
}

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
   * Creates an organization. The caller gets the creator role, and the organization becomes active in the session. Throws
   * YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION, YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS and
   * ORGANIZATION_ALREADY_EXISTS (by the unique index).
   */
  create(principal: PersonPrincipal, input: Body<'createOrganization'>): Promise<CreatedOrganization>
  /**
   * Creates an organization for an operator. `owner` names the user who gets the creator role, by id or email address. Throws the errors
   * of `create`, USER_NOT_FOUND and, unless `allowsUnverified` is set, ADDRESS_IS_NOT_VERIFIED.
   */
  createFor(
    principal: PermittedPrincipal,
    input: z.output<typeof CreateOrganization> & Partial<Pick<Organization, 'logo' | 'metadata'>>,
    owner: string | undefined,
    allowsUnverified?: boolean,
  ): Promise<Organization & { readonly ownerId: string | null }>
  /** Throws SLUG_IS_TAKEN if an organization has this slug. */
  requireFreeSlug(slug: string): Promise<void>
  update(principal: Principal, input: Body<'updateOrganization'>): Promise<Organization>
  /** Deletes an organization. Throws FORBIDDEN if the configuration does not allow members to delete organizations. */
  remove(principal: OrganizationPrincipal, idOrSlug: string): Promise<Organization>
  /** Deletes any organization for an operator, even if members may not delete organizations. Throws ORGANIZATION_NOT_FOUND. */
  removeById(principal: PermittedPrincipal, id: string, ifMatch?: IfMatch<OrganizationWithCount>): Promise<void>
  /** Changes any organization for an operator. Throws NOT_FOUND and ORGANIZATION_ALREADY_EXISTS. */
  updateById(
    principal: PermittedPrincipal,
    id: string,
    data: Body<'updateOrganization'>['data'],
    ifMatch: IfMatch<OrganizationWithCount>,
  ): Promise<OrganizationWithCount>
  /** Finds the organization that an operator names by id or slug. Throws ORGANIZATION_NOT_FOUND. */
  require(idOrSlug: string): Promise<store.ListedOrganization>
  /** The organizations of a user, oldest membership first, with the user's roles in each. */
  listOwn(userId: string, page: members.Page): Promise<(Organization & { readonly role: string })[]>
  /**
   * Finds the organization that the call names, or else the active one of the session. Undefined if there is none. Throws
   * USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION.
   */
  find(principal: OrganizationPrincipal, named: NamedOrganization): Promise<Organization | undefined>
  /** Like `find`, but with members, invitations and teams. If the principal is not a member, the session loses its active organization. */
  findFull(principal: OrganizationPrincipal, named: NamedOrganization): Promise<FullOrganization | undefined>
  /**
   * Sets or removes the active organization of the session. If the user is not a member, throws USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION,
   * and the session loses its active organization.
   */
  setActive(principal: UserPrincipal, input: Body<'setActiveOrganization'>): Promise<FullOrganization | undefined>
  /** Prevents that the only owner of an organization is deleted. Throws YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER. */
  guardOnlyOwner(tx: Tx, user: { readonly id: string }): Promise<void>
}

interface Deps extends WriteDeps, Pick<Core, 'db' | 'transact'> {
  readonly users: Users
  readonly sessions: Sessions
}

/** Largest length of each list in a full organization. Other calls return further rows in pages. */
const fullLimit = 100
const firstMembers = { limit: fullLimit, offset: 0, sortBy: 'createdAt', sortDirection: 'asc' } as const

const outsider = (status: 400 | 403) => organizationErrors.error('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION', { status })

const canCreate = async ({ users, config }: Deps, tx: Tx, principal: PersonPrincipal): Promise<boolean> => {
  if (config.creation === 'verified') return (await users.find(tx, principal.user.id))?.emailVerified === true
  return config.creation === 'everybody' || (config.creation === 'admins' && can(principal, 'all-organizations:create'))
}

/** Adds members, invitations and teams to an organization. If an API key may not read one of these lists, that list is empty. */
const withContents = async ({ db, clock, config, roles }: Deps, own: Membership): Promise<FullOrganization> => {
  const { organization } = own
  const pending = own.allows('invitation:read') ? await listPending(db, organization.id, clock.now(), fullLimit) : []
  return {
    ...organization,
    members: own.allows('member:read') ? await members.listMembers(db, organization.id, firstMembers) : [],
    invitations: pending.map(redactFor(roles, own)),
    teams: config.teamsEnabled && own.allows('team:read') ? await listTeams(db, organization.id, fullLimit) : [],
  }
}

/** Checks the permission of an operator. Operators need a permission on the instance, even if they are members of the organization. */
const requireOperator = async (
  { users }: Deps,
  tx: Tx,
  principal: PermittedPrincipal,
  action: 'create' | 'update' | 'delete',
) => {
  if (!can(principal, `all-organizations:${action}`) || !(await users.confirmPermissions(tx, principal)))
    throw coreErrors.error('FORBIDDEN')
}

const withCount = async (reader: Db, organization: Organization): Promise<OrganizationWithCount> => ({
  ...organization,
  memberCount: await members.countMembers(reader, organization.id),
})

const clearActiveOrganization = async ({ sessions }: Deps, tx: Tx, { session }: UserPrincipal) =>
  void (await sessions.setActive(tx, session.id, null, null))

const createAsPerson = (deps: Deps): Organizations['create'] => {
  const { transact, sessions, config, roles } = deps
  return (principal, { name, slug, logo = null, metadata = null, keepCurrentActiveOrganization }) =>
    transact(async (tx) => {
      if (!(await canCreate(deps, tx, principal)))
        throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION')
      if (config.limitPerUser !== null) {
        // With this lock, simultaneous creations by the same user run one after the other, so that each counts the organizations of the
        // earlier ones.
        await lockRow(tx, 'user', principal.user.id)
        if ((await members.countWithRole(tx, principal.user.id, roles.creatorRole)) >= config.limitPerUser)
          throw organizationErrors.error('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS')
      }
      const { organization, member, teamId } = await insertWithOwner(
        deps,
        tx,
        principal,
        { name, slug, logo, metadata },
        principal.user.id,
      )
      const session = sessionOf(principal)
      if (session !== undefined && keepCurrentActiveOrganization !== true)
        await sessions.setActive(tx, session.id, organization.id, teamId)
      return { ...organization, members: member === undefined ? [] : [{ ...member, teamId }] }
    })
}

const createAsOperator = (deps: Deps): Organizations['createFor'] => {
  const { transact, users, requireProof } = deps
  return (principal, { name, slug, logo = null, metadata = null }, owner, allowsUnverified = false) =>
    transact(async (tx) => {
      await requireOperator(deps, tx, principal, 'create')
      if (owner !== undefined) await requireProof(principal, 'give-ownership')
      const user: User | undefined = owner === undefined ? undefined : await users.requireFor(principal, tx, owner)
      if (user !== undefined && !allowsUnverified) users.requireVerified(user)
      const { organization } = await insertWithOwner(deps, tx, principal, { name, slug, logo, metadata }, user?.id)
      return { ...organization, ownerId: user?.id ?? null }
    })
}

const updateAsMember = (deps: Deps): Organizations['update'] => {
  const { transact, sessions, roles } = deps
  return async (principal, { data, ...named }) => {
    if (!isInOrganizations(principal)) throw new AppError('USER_NOT_FOUND', 401, 'User not found')
    const name = requireOrganization(principal, named, 'ORGANIZATION_NOT_FOUND')
    return transact(async (tx) => {
      await sessions.requireAlive(tx, principal)
      const own = await lockMembership(tx, roles, principal, name)
      if (own === undefined) throw outsider(400)
      if (!can(principal, 'organization:update', own))
        throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
      return changeOrganization(deps, tx, principal, own.organization, data)
    })
  }
}

const removeAsMember = (deps: Deps): Organizations['remove'] => {
  const { transact, sessions, config, roles, requireProof } = deps
  return async (principal, idOrSlug) => {
    // This check comes before all others. So if deletion is forbidden, the session keeps its active organization.
    if (!config.deletionEnabled) throw coreErrors.error('FORBIDDEN')
    return transact(async (tx) => {
      await sessions.requireAlive(tx, principal)
      const own = await lockMembership(tx, roles, principal, { id: idOrSlug, slug: idOrSlug })
      if (own === undefined) throw outsider(400)
      if (!can(principal, 'organization:delete', own))
        throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION')
      await requireProof(principal, 'delete-organization')
      await deleteOrganization(deps, tx, principal, own.organization.id)
      return own.organization
    })
  }
}

const removeAsOperator =
  (deps: Deps): Organizations['removeById'] =>
  (principal, id, ifMatch = anyState) =>
    deps.transact(async (tx) => {
      await requireOperator(deps, tx, principal, 'delete')
      await store.lockOrganization(tx, id)
      const organization = await store.findOrganization(tx, { id })
      if (organization !== undefined) ifMatch(await withCount(tx, organization))
      await deleteOrganization(deps, tx, principal, id)
    })

const updateAsOperator =
  (deps: Deps): Organizations['updateById'] =>
  (principal, id, data, ifMatch) =>
    deps.transact(async (tx) => {
      await requireOperator(deps, tx, principal, 'update')
      await store.lockOrganization(tx, id)
      const organization = await store.findOrganization(tx, { id })
      if (organization === undefined) throw coreErrors.error('NOT_FOUND', { message: 'Organization not found' })
      ifMatch(await withCount(tx, organization))
      return withCount(tx, await changeOrganization(deps, tx, principal, organization, data))
    })

const findFull = (deps: Deps): Organizations['findFull'] => {
  const { db, transact, roles } = deps
  return async (principal, named) => {
    const name = organizationOf(principal, named)
    if (name === undefined) return undefined
    const own = await findMembership(db, roles, principal, name)
    if (own !== undefined) return withContents(deps, own)
    if (principal.kind === 'user') await transact((tx) => clearActiveOrganization(deps, tx, principal))
    throw outsider(403)
  }
}

const setActive = (deps: Deps): Organizations['setActive'] => {
  const { transact, sessions, roles } = deps
  return async (principal, { organizationId, organizationSlug }) => {
    const name = organizationId === null ? undefined : organizationOf(principal, { organizationId, organizationSlug })
    const entered = await transact(async (tx) => {
      const own = name === undefined ? undefined : await lockOwnMembership(tx, roles, principal, name)
      if (own === undefined) await clearActiveOrganization(deps, tx, principal)
      else await sessions.setActive(tx, principal.session.id, own.organization.id, null)
      return own
    })
    if (entered !== undefined) return withContents(deps, entered)
    // Thrown only after the commit: an error inside the transaction would roll back the clearing of the active organization.
    if (name !== undefined) throw outsider(403)
    return undefined
  }
}

const guardOnlyOwner =
  ({ roles }: Deps): Organizations['guardOnlyOwner'] =>
  async (tx, { id }) => {
    await store.lockOrganizationsOf(tx, id)
    if (await members.isOnlyWithRole(tx, id, roles.creatorRole))
      throw organizationErrors.error('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  }

export const createOrganizations = (deps: Deps): Organizations => {
  const { db, roles } = deps

  return {
    create: createAsPerson(deps),
    createFor: createAsOperator(deps),
    requireFreeSlug: async (slug) => {
      if (await store.isSlugTaken(db, slug)) throw organizationErrors.error('SLUG_IS_TAKEN')
    },
    update: updateAsMember(deps),
    remove: removeAsMember(deps),
    removeById: removeAsOperator(deps),
    updateById: updateAsOperator(deps),
    require: async (idOrSlug) => {
      const found = await store.findOrganization(db, { id: idOrSlug, slug: idOrSlug })
      if (found === undefined) throw organizationErrors.error('ORGANIZATION_NOT_FOUND')
      return { ...found, memberCount: await members.countMembers(db, found.id) }
    },
    listOwn: async (userId, page) =>
      (await members.listOwn(db, userId, page)).map(({ organization, member }) => ({ ...organization, role: member.role })),
    find: async (principal, named) => {
      const name = organizationOf(principal, named)
      if (name === undefined) return undefined
      const own = await findMembership(db, roles, principal, name)
      if (own === undefined) throw outsider(403)
      return own.organization
    },
    findFull: findFull(deps),
    setActive: setActive(deps),
    guardOnlyOwner: guardOnlyOwner(deps),
  }
}
