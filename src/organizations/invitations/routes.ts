import { bind, documented } from '../../http/handlers.ts'
import { invitationContract, invitationDocumentation } from './contract.ts'
import { joinTeams } from './rules.ts'
import type { Invitations } from './service.ts'

const shown = <T extends { readonly teamIds: readonly string[] }>(invitation: T) => ({
  ...invitation,
  teamId: joinTeams(invitation.teamIds),
})

export const invitationRoutes = (invitations: Invitations) =>
  bind(documented(invitationContract, invitationDocumentation), {
    inviteMember: async (principal, { body }) => shown(await invitations.invite(principal, body)),
    inviteMembers: async (principal, { body }) => {
      const { invitations: made, refused } = await invitations.inviteMany(principal, body)
      return { invitations: made.map(shown), refused: [...refused] }
    },
    acceptInvitation: async (principal, { body }) => {
      const { invitation, member } = await invitations.accept(principal, body.invitationId, body.token)
      return { invitation: shown(invitation), member }
    },
    rejectInvitation: async (principal, { body }) => ({
      invitation: shown(await invitations.reject(principal, body.invitationId, body.token)),
      member: null,
    }),
    cancelInvitation: async (principal, { body }) => shown(await invitations.cancel(principal, body.invitationId)),
    getInvitation: async (principal, { query }) => shown(await invitations.get(principal, query.id, query.token)),
    listInvitations: async (principal, { query }) => (await invitations.list(principal, query)).map(shown),
    listUserInvitations: async (principal, { query }) => (await invitations.listOwn(principal, query.email)).map(shown),
    viewInvitation: (principal, { query }) => invitations.view(principal, query.id, query.token),
    signUpInvited: async (principal, { body, cookies }) => {
      const { invitation, member, user, started } = await invitations.signUp(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      return { invitation: shown(invitation), member, user }
    },
  })
