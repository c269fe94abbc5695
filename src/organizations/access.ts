import type { UserCaller } from '../core/caller.ts'
import type { Db, Tx } from '../core/database.ts'
import { organizationErrors } from './errors.ts'
import * as members from './members/store.ts'
import { type Roles, splitRoles } from './rules.ts'
import * as store from './store.ts'

/** Fields of a body or query that name an organization. */
export interface NamedOrganization {
  readonly organizationId?: string | undefined
  readonly organizationSlug?: string | undefined
}

/** Where a caller stands in an organization. */
export interface Membership extends members.OwnRow {
  readonly roles: Roles
}

/** The organization a call is about: named in it, else in its header, else the session's active one. A hint, never a right. */
export const organizationOf = (caller: UserCaller, named: NamedOrganization): store.OrganizationName | undefined => {
  if (named.organizationId !== undefined) return { id: named.organizationId }
  if (named.organizationSlug !== undefined) return { slug: named.organizationSlug }
  if (caller.organization !== undefined) return { id: caller.organization, slug: caller.organization }
  const active = caller.session.activeOrganizationId
  return active === null ? undefined : { id: active }
}

/** The same. Throws NO_ACTIVE_ORGANIZATION, or what the call says instead. */
export const requireOrganization = (
  caller: UserCaller,
  named: NamedOrganization,
  refusal: Parameters<typeof organizationErrors.refuse>[0] = 'NO_ACTIVE_ORGANIZATION',
): store.OrganizationName => {
  const name = organizationOf(caller, named)
  if (name === undefined) throw organizationErrors.refuse(refusal)
  return name
}

const withRoles = (own: members.OwnRow | undefined): Membership | undefined =>
  own === undefined ? undefined : { ...own, roles: splitRoles(own.member.role) }

/** The caller's membership, for reading. Undefined for outsiders, and when there is no such organization: they are not told apart. */
export const findMembership = async (db: Db, caller: UserCaller, name: store.OrganizationName): Promise<Membership | undefined> =>
  withRoles(await members.findOwn(db, caller.user.id, name))

/** The caller's membership, for changing: the organization's row is locked, so it stays true until the transaction ends. */
export const lockMembership = async (
  tx: Tx,
  caller: UserCaller,
  name: store.OrganizationName,
): Promise<Membership | undefined> => {
  const id = await store.lockNamed(tx, name)
  return id === undefined ? undefined : withRoles(await members.findOwn(tx, caller.user.id, { id }))
}
