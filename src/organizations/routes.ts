import { bind, documented } from '../http/handlers.ts'
import { organizationContract } from './contract.ts'
import { organizationDocumentation } from './documentation.ts'
import { joinTeams } from './invitations/rules.ts'
import type { FullOrganization, Organizations } from './service.ts'

const shown = (full: FullOrganization | undefined) =>
  full === undefined
    ? null
    : { ...full, invitations: full.invitations.map((one) => ({ ...one, teamId: joinTeams(one.teamIds) })) }

export const organizationRoutes = (organizations: Organizations) =>
  bind(documented(organizationContract, organizationDocumentation), {
    createOrganization: (principal, { body }) => organizations.create(principal, body),
    checkSlug: async (_principal, { body }) => {
      await organizations.requireFreeSlug(body.slug)
      return { status: true }
    },
    updateOrganization: (principal, { body }) => organizations.update(principal, body),
    deleteOrganization: (principal, { body }) => organizations.remove(principal, body.organizationId),
    listOrganizations: ({ user }, { query }) => organizations.listOwn(user.id, query),
    getOrganization: async (principal, { query }) => (await organizations.find(principal, query)) ?? null,
    getFullOrganization: async (principal, { query, cookies }) => {
      try {
        return shown(await organizations.findFull(principal, query))
      } catch (error) {
        // The session of a non-member has no active organization any more.
        if (principal.kind === 'user') cookies.clearCache()
        throw error
      }
    },
    setActiveOrganization: async (principal, { body }) => shown(await organizations.setActive(principal, body)),
  })
