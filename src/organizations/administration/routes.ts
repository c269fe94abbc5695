import { bind } from '../../http/handlers.ts'
import { invitationAdministrationContract } from '../invitations/contract.ts'
import { joinTeams } from '../invitations/rules.ts'
import type { Invitations } from '../invitations/service.ts'
import type { MemberOperator } from '../members/operator.ts'
import type { Organizations } from '../service.ts'
import { organizationAdministrationContract } from './contract.ts'
import type { OrganizationAdministration } from './service.ts'

interface Services {
  readonly administration: OrganizationAdministration
  readonly organizations: Organizations
  readonly members: MemberOperator
  readonly invitations: Invitations
  /** Throws NOT_FOUND if no user has the id. */
  readonly requireUser: (id: string) => Promise<unknown>
}

const shown = <T extends { readonly teamIds: readonly string[] }>(invitation: T) => ({
  ...invitation,
  teamId: joinTeams(invitation.teamIds),
})

export const organizationAdministrationRoutes = (services: Services) => {
  const { administration, organizations, members, invitations, requireUser } = services
  return bind(organizationAdministrationContract, {
    adminListOrganizations: async (_, { query }) => {
      const { rows, next, total } = await administration.list(query)
      return { organizations: [...rows], next, total }
    },
    adminCreateOrganization: async (principal, { body: { ownerId, unverified, logo = null, metadata = null, ...input } }) => {
      if (ownerId !== undefined) await requireUser(ownerId)
      const { id } = await organizations.createFor(principal, { ...input, logo, metadata }, ownerId, unverified)
      return administration.get(id)
    },
    adminGetOrganization: (_, { params }) => administration.get(params.id),
    adminPatchOrganization: (principal, { params, body, ifMatch }) =>
      organizations.updateById(principal, params.id, body, ifMatch),
    adminDeleteOrganization: async (principal, { params, ifMatch }) => {
      await administration.get(params.id)
      await organizations.removeById(principal, params.id, ifMatch)
      return { success: true }
    },
    adminListMembers: async (_, { params, query }) => {
      const { rows, next, total } = await administration.listMembers(params.id, query)
      return { members: [...rows], next, total }
    },
    adminGetMember: (_, { params }) => administration.getMember(params.id, params.memberId),
    adminAddMember: async (principal, { params, body: { userId, role, unverified } }) => {
      await administration.get(params.id)
      await requireUser(userId)
      const roles = typeof role === 'string' ? role : role.join(',')
      const input = { organization: params.id, user: userId, role: roles, allowsUnverified: unverified }
      const member = await members.add(principal, input)
      return administration.getMember(params.id, member.id)
    },
    adminPatchMember: (principal, { params: { id: organizationId, memberId }, body: { role, unverified }, ifMatch }) =>
      members.changeRole(principal, { organizationId, memberId, role, allowsUnverified: unverified }, ifMatch),
    adminRemoveMember: async (principal, { params, ifMatch }) => {
      await members.removeMember(principal, params.id, params.memberId, ifMatch)
      return { success: true }
    },
    adminListInvitations: async (principal, { params, query }) => {
      const { rows, next, total } = await administration.listInvitations(principal, params.id, query)
      return { invitations: rows.map(shown), next, total }
    },
    adminInvite: async (principal, { params, body }) => {
      await administration.get(params.id)
      return shown(await invitations.inviteAsOperator(principal, { ...body, organizationId: params.id }))
    },
    adminCancelInvitation: async (principal, { params }) => {
      await invitations.cancelAsOperator(principal, params.id, params.invitationId)
      return { success: true }
    },
    adminListOrganizationsOfUser: async (_, { params, query }) => {
      const { rows, next, total } = await administration.listOfUser(params.id, query)
      return { organizations: [...rows], next, total }
    },
  })
}

export const invitationAdministrationRoutes = (administration: OrganizationAdministration) =>
  bind(invitationAdministrationContract, {
    adminListAllInvitations: async (principal, { query }) => {
      const { rows, next, total } = await administration.listAllInvitations(principal, query)
      return { invitations: rows.map(shown), next, total }
    },
  })
