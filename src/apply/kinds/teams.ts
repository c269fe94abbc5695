import { applyErrors } from '../contract.ts'
import type { Context, Kind, Outcome, Wanted } from '../kind.ts'
import { changedFields } from '../rules.ts'
import { findOrganization, organizationsOf } from './organizations.ts'

const teamsOf = (context: Context) => {
  const { teams } = organizationsOf(context)
  if (teams === undefined)
    throw applyErrors.error('DECLARATION_DOES_NOT_FIT', { message: 'organizations.teamsEnabled is off in the configuration' })
  return teams
}

/** The id of a team in stored rows. It consists of the ids of the organization and the team. */
const idOf = (organizationId: string, teamId: string) => `${organizationId}/${teamId}`
const idsOf = (objectId: string): readonly [organizationId: string, teamId: string] => {
  const [organizationId = '', teamId = ''] = objectId.split('/')
  return [organizationId, teamId]
}
const find = (context: Context, objectId: string) => teamsOf(context).find(...idsOf(objectId))

const wanted = (slug: string, name: string, place: number): Wanted => ({
  key: `${slug}/${name}`,
  path: `organizations.${slug}.teams.${place}`,
  apply: async (context, known): Promise<Outcome> => {
    const teams = teamsOf(context)
    // The organization exists already, because organizations are applied before teams.
    const organization = await findOrganization(context, slug, known && idsOf(known.objectId)[0])
    if (organization === undefined) throw applyErrors.error('DECLARATION_DOES_NOT_FIT', { message: `there is no ${slug}` })
    const form = { name }
    const before = (known && (await find(context, known.objectId))) ?? (await teams.findByName(organization.id, name))[0]
    if (before === undefined) {
      const { id } = await teams.create(context.principal, organization.id, name)
      return { id: idOf(organization.id, id), action: 'create', fields: changedFields({}, form), form, secretHash: null }
    }
    const id = idOf(organization.id, before.id)
    const fields = changedFields({ name: before.name }, form)
    if (fields.length > 0) await teams.rename(context.principal, organization.id, before.id, name)
    return { id, action: fields.length > 0 ? 'update' : 'unchanged', fields, form, secretHash: null }
  },
})

/** Teams of declared organizations, by organization slug and team name. */
export const teamKind: Kind = {
  kind: 'team',
  wanted: ({ organizations }) =>
    Object.entries(organizations).flatMap(([slug, { teams }]) =>
      [...new Set(teams)].map((name, place) => wanted(slug, name, place)),
    ),
  read: async (context, { objectId }) => {
    const found = await find(context, objectId)
    return found && { name: found.name }
  },
  lost: async () => 'its members are in no team of this name any more',
  remove: (context, { objectId }) => teamsOf(context).remove(context.principal, ...idsOf(objectId)),
}
