import type { Transact } from '../core/database.ts'
import { bind } from '../http/handlers.ts'
import { sessionContract } from './contract.ts'
import { sessionErrors } from './errors.ts'
import type { Sessions } from './service.ts'

export const sessionRoutes = (sessions: Sessions, transact: Transact) =>
  bind(sessionContract, {
    getSession: (caller) => (caller.kind === 'user' ? { session: caller.session, user: caller.user } : null),
    signOut: async (caller, { reply }) => {
      // The cookie goes after the session has: a sign-out that fails can be tried again.
      if (caller.kind === 'user') await transact((tx) => sessions.end(tx, caller.session.id))
      reply.endSession()
      if (caller.kind !== 'user') throw sessionErrors.refuse('FAILED_TO_GET_SESSION')
      return { success: true }
    },
  })
