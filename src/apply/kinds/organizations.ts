import { AppError } from '../../core/errors.ts'
import type { OrganizationDeclaration } from '../contract.ts'
import { applyErrors } from '../contract.ts'
import { type Context, type Kind, type Outcome, orNone, type Wanted } from '../kind.ts'
import { changedFields, type Form, pick } from '../rules.ts'

export const organizationsOf = ({ organizations }: Context) => {
  if (organizations === undefined)
    throw applyErrors.error('DECLARATION_DOES_NOT_FIT', { message: 'organizations.enabled is off in the configuration' })
  return organizations
}

/** Finds an organization by the id that an earlier declaration stored. Without such an id, or if it no longer exists, finds it by its slug. */
export const findOrganization = async (context: Context, slug: string, knownId: string | undefined) => {
  const { administration, organizations } = organizationsOf(context)
  const known = knownId === undefined ? undefined : await orNone(administration.get(knownId), 'NOT_FOUND')
  if (known !== undefined) return known
  const named = await orNone(organizations.require(slug), 'ORGANIZATION_NOT_FOUND')
  return named?.slug === slug ? administration.get(named.id) : undefined
}

/**
 * If a declared owner does not exist, the declaration is wrong, so the error has the status 404. The original error code would mean that
 * the caller's own session is invalid.
 */
const ofOwner = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'USER_NOT_FOUND' ? new AppError(error.code, 404, error.message) : error
  })

const create = async (context: Context, slug: string, declared: OrganizationDeclaration): Promise<Outcome> => {
  const { organizations, members, creatorRole } = organizationsOf(context)
  const { name, logo, metadata, firstOwners, unverified: allowsUnverified } = declared
  const [first, ...others] = [...new Set(firstOwners)]
  const { principal } = context
  const made = organizations.createFor(principal, { name, slug, logo, metadata: metadata ?? null }, first, allowsUnverified)
  const { id } = await ofOwner(made)
  for (const user of others)
    await ofOwner(members.add(principal, { organization: id, user, role: creatorRole, allowsUnverified }))
  const form = formOf(slug, declared)
  const owners = firstOwners.length === 0 ? [] : [{ field: 'firstOwners', after: firstOwners }]
  return { id, action: 'create', fields: [...changedFields({}, form), ...owners], form, secretHash: null }
}

const formOf = (slug: string, { name, logo, metadata }: OrganizationDeclaration): Form => ({
  ...{ name, slug, logo },
  ...(metadata === undefined ? {} : { metadata }),
})

const wanted = ([slug, declared]: readonly [string, OrganizationDeclaration]): Wanted => ({
  key: slug,
  path: `organizations.${slug}`,
  apply: async (context, known) => {
    const before = await findOrganization(context, slug, known?.objectId)
    if (before === undefined) return create(context, slug, declared)
    const form = formOf(slug, declared)
    const fields = changedFields({ ...before }, form)
    const { id } = before
    if (fields.length === 0) return { id, action: 'unchanged', fields, form, secretHash: null }
    const changes = pick(
      form,
      fields.map(({ field }) => field),
    )
    await organizationsOf(context).organizations.updateById(context.principal, id, changes, () => undefined)
    return { id, action: 'update', fields, form, secretHash: null }
  },
})

/** Organizations, by their slugs. */
export const organizationKind: Kind = {
  kind: 'organization',
  wanted: ({ organizations }) => Object.entries(organizations).map(wanted),
  read: async (context, { objectId, form }) => {
    const found = await orNone(organizationsOf(context).administration.get(objectId), 'NOT_FOUND')
    return found && pick({ ...found }, Object.keys(form))
  },
  lost: async (context, { objectId }) => {
    const { memberCount } = await organizationsOf(context).administration.get(objectId)
    return `${memberCount} members lose it, with its teams and invitations`
  },
  remove: (context, { objectId }) => organizationsOf(context).organizations.removeById(context.principal, objectId),
}
