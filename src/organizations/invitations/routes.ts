import { bind } from '../../http/handlers.ts'
import { invitationContract } from './contract.ts'
import { joinTeams } from './rules.ts'
import type { Invitations } from './service.ts'

const shown = <T extends { readonly teamIds: readonly string[] }>(invitation: T) => ({
  ...invitation,
  teamId: joinTeams(invitation.teamIds),
})

export const invitationRoutes = (invitations: Invitations) =>
  bind(invitationContract, {
    inviteMember: async (caller, { body }) => shown(await invitations.invite(caller, body)),
    inviteMembers: async (caller, { body }) => {
      const { invitations: made, refused } = await invitations.inviteMany(caller, body)
      return { invitations: made.map(shown), refused: [...refused] }
    },
    acceptInvitation: async (caller, { body }) => {
      const { invitation, member } = await invitations.accept(caller, body.invitationId, body.token)
      return { invitation: shown(invitation), member }
    },
    rejectInvitation: async (caller, { body }) => ({
      invitation: shown(await invitations.reject(caller, body.invitationId, body.token)),
      member: null,
    }),
    cancelInvitation: async (caller, { body }) => shown(await invitations.cancel(caller, body.invitationId)),
    getInvitation: async (caller, { query }) => shown(await invitations.get(caller, query.id, query.token)),
    listInvitations: async (caller, { query }) => (await invitations.list(caller, query)).map(shown),
    listUserInvitations: async (caller, { query }) => (await invitations.listOwn(caller, query.email)).map(shown),
    viewInvitation: (caller, { query }) => invitations.view(caller, query.id, query.token),
    signUpInvited: async (caller, { body, reply }) => {
      const { invitation, member, user, started } = await invitations.signUp(caller, body)
      reply.startSession(started.token, started.cookieSeconds)
      return { invitation: shown(invitation), member, user }
    },
  })
