import { can } from '../../access/can.ts'
import type { OrganizationPrincipal, PermittedPrincipal, Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import type { ImageOwner, Images } from '../../images/index.ts'
import { organizationErrors } from '../errors.ts'
import { organizationEvents } from '../events.ts'
import { countMembers } from '../members/store.ts'
import { findMembership, lockMembership, type Membership, type NamedOrganization, requireOrganization } from '../memberships.ts'
import type { RoleTable } from '../rules.ts'
import type { OrganizationWithCount } from '../service.ts'
import { findOrganization, lockOrganization, type OrganizationRow, updateLogo } from '../store.ts'

/** Stores logos that people upload. The `logo` of an organization may also be a URL on another server. Gatehouse never loads such a URL. */
export interface OrganizationLogos {
  /**
   * Sets the logo of an organization. Throws INVALID_IMAGE, NO_ACTIVE_ORGANIZATION, USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION and
   * YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION.
   */
  set(principal: OrganizationPrincipal, named: NamedOrganization, source: Buffer): Promise<OrganizationRow>
  /** Removes the logo of an organization. Throws the same errors as `set`. */
  remove(principal: OrganizationPrincipal, named: NamedOrganization): Promise<OrganizationRow>
  /** Sets the logo of any organization for an operator. Throws NOT_FOUND and INVALID_IMAGE. */
  setById(
    principal: PermittedPrincipal,
    id: string,
    source: Buffer,
    ifMatch?: IfMatch<OrganizationWithCount>,
  ): Promise<OrganizationWithCount>
  /** Removes the logo of any organization for an operator. Throws NOT_FOUND. */
  removeById(principal: PermittedPrincipal, id: string, ifMatch?: IfMatch<OrganizationWithCount>): Promise<OrganizationWithCount>
  /** Deletes the uploaded logo if the organization now has another logo or none. */
  forgetUnused(tx: Tx, organizationId: string): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'events'> {
  readonly images: Images
  readonly roles: RoleTable
}

const ownerOf = (ownerId: string): ImageOwner => ({ kind: 'organization-logo', ownerId })

export const createOrganizationLogos = ({ db, transact, events, images, roles }: Deps): OrganizationLogos => {
  const allowed = (principal: OrganizationPrincipal, own: Membership | undefined): OrganizationRow => {
    if (own === undefined) throw organizationErrors.error('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION')
    if (!can(principal, 'organization:update', own))
      throw organizationErrors.error('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
    return own.organization
  }

  const change = async (tx: Tx, principal: Principal, organization: OrganizationRow, logo: string | null) => {
    const { id } = organization
    if (organization.logo === logo) return organization
    await updateLogo(tx, id, logo)
    // A reaction to this event deletes the upload that the new logo replaces (`forgetUnused`).
    const data = { fields: ['logo'], before: {}, after: {} }
    await events.record(tx, principal, organizationEvents['organization.updated'], { subject: id, organizationId: id, data })
    return { ...organization, logo }
  }

  const requireOperator = (principal: PermittedPrincipal) => {
    if (!can(principal, 'all-organizations:update')) throw coreErrors.error('FORBIDDEN')
  }

  const found = (organization: OrganizationRow | undefined): OrganizationRow => {
    if (organization === undefined) throw coreErrors.error('NOT_FOUND', { message: 'Organization not found' })
    return organization
  }

  /**
   * Locks the organization, checks that it is still in the state on which the operator's change is based, and sets the logo that `next`
   * returns.
   */
  const changeById = async (
    tx: Tx,
    principal: PermittedPrincipal,
    id: string,
    ifMatch: IfMatch<OrganizationWithCount>,
    next: () => Promise<string | null>,
  ): Promise<OrganizationWithCount> => {
    requireOperator(principal)
    await lockOrganization(tx, id)
    const organization = found(await findOrganization(tx, { id }))
    const memberCount = await countMembers(tx, id)
    ifMatch({ ...organization, memberCount })
    return { ...(await change(tx, principal, organization, await next())), memberCount }
  }

  return {
    set: async (principal, named, source) => {
      // The permission is checked before the image is decoded, so that a refused call costs little. It is checked again when the
      // organization is locked.
      const name = requireOrganization(principal, named)
      const { id } = allowed(principal, await findMembership(db, roles, principal, name))
      const image = await images.prepare(ownerOf(id), source)
      return transact(async (tx) => {
        const organization = allowed(principal, await lockMembership(tx, roles, principal, { id }))
        const { url } = await images.put(tx, image)
        return change(tx, principal, organization, url)
      })
    },
    remove: (principal, named) =>
      transact(async (tx) => {
        const name = requireOrganization(principal, named)
        return change(tx, principal, allowed(principal, await lockMembership(tx, roles, principal, name)), null)
      }),
    setById: async (principal, id, source, ifMatch = anyState) => {
      requireOperator(principal)
      // The organization is looked up before the image is decoded, so that a refused call costs little.
      found(await findOrganization(db, { id }))
      const image = await images.prepare(ownerOf(id), source)
      return transact((tx) => changeById(tx, principal, id, ifMatch, async () => (await images.put(tx, image)).url))
    },
    removeById: (principal, id, ifMatch = anyState) => transact((tx) => changeById(tx, principal, id, ifMatch, async () => null)),
    forgetUnused: async (tx, organizationId) => {
      const kept = await images.find(tx, ownerOf(organizationId))
      if (kept === undefined) return
      if ((await findOrganization(tx, { id: organizationId }))?.logo !== kept.url)
        await images.remove(tx, ownerOf(organizationId))
    },
  }
}
