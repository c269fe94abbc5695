import { bind } from '../http/handlers.ts'
import { organizationContract } from './contract.ts'
import { joinTeams } from './invitations/rules.ts'
import type { FullOrganization, Organizations } from './service.ts'

const shown = (full: FullOrganization | undefined) =>
  full === undefined
    ? null
    : { ...full, invitations: full.invitations.map((one) => ({ ...one, teamId: joinTeams(one.teamIds) })) }

export const organizationRoutes = (organizations: Organizations) =>
  bind(organizationContract, {
    createOrganization: (caller, { body }) => organizations.create(caller, body),
    checkSlug: async (_caller, { body }) => {
      await organizations.requireFreeSlug(body.slug)
      return { status: true }
    },
    updateOrganization: (caller, { body }) => organizations.update(caller, body),
    deleteOrganization: (caller, { body }) => organizations.remove(caller, body.organizationId),
    listOrganizations: ({ user }, { query }) => organizations.listOwn(user.id, query),
    getOrganization: async (caller, { query }) => (await organizations.find(caller, query)) ?? null,
    getFullOrganization: async (caller, { query, reply }) => {
      try {
        return shown(await organizations.findFull(caller, query))
      } catch (error) {
        // An outsider's session acts for no organization any more.
        reply.forgetCache()
        throw error
      }
    },
    setActiveOrganization: async (caller, { body }) => shown(await organizations.setActive(caller, body)),
  })
