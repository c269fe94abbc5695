import type { UserCaller } from '../core/caller.ts'
import type { Transact } from '../core/database.ts'
import { bind, type Reply } from '../http/handlers.ts'
import { sessionContract } from './contract.ts'
import { sessionErrors } from './errors.ts'
import type { Sessions } from './service.ts'

export const sessionRoutes = (sessions: Sessions, transact: Transact) => {
  const endAll = async ({ user, session }: UserCaller, reply: Reply, keepsThis: boolean) => {
    await transact((tx) => sessions.endAll(tx, user.id, keepsThis ? session.id : undefined))
    if (!keepsThis) reply.endSession()
    return { status: true }
  }
  return bind(sessionContract, {
    getSession: (caller) => (caller.kind === 'user' ? { session: caller.session, user: caller.user } : null),
    listSessions: async ({ user, session }) =>
      (await sessions.list(user.id)).map((one) => ({ ...one, token: one.id, current: one.id === session.id })),
    revokeSession: async (caller, { body, reply }) => {
      if ((await sessions.revoke(caller, body.token)) === caller.session.id) reply.endSession()
      return { status: true }
    },
    revokeSessions: (caller, { reply }) => endAll(caller, reply, false),
    revokeOtherSessions: (caller, { reply }) => endAll(caller, reply, true),
    signOut: async (caller, { reply }) => {
      // The cookie goes after the session has: a sign-out that fails can be tried again.
      if (caller.kind === 'user') await transact((tx) => sessions.end(tx, caller.session.id))
      reply.endSession()
      if (caller.kind !== 'user') throw sessionErrors.refuse('FAILED_TO_GET_SESSION')
      return { success: true }
    },
  })
}
