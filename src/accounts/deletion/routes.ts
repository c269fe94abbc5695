import { bind, Redirect } from '../../http/handlers.ts'
import { accountErrors } from '../errors.ts'
import { deletionContract } from './contract.ts'
import type { Deletion } from './service.ts'

const messages = { deleted: 'User deleted', mailed: 'Verification email sent' } as const

export const deletionRoutes = (deletion: Deletion) =>
  bind(deletionContract, {
    deleteUser: async (caller, { body, reply }) => {
      const outcome = await deletion.request(caller, body)
      if (outcome === 'deleted') reply.endSession()
      return { success: true, message: messages[outcome] }
    },
    deleteUserCallback: async (caller, { query, reply }) => {
      deletion.requireEnabled()
      if (caller.kind !== 'user') throw accountErrors.refuse('FAILED_TO_GET_USER_INFO')
      await deletion.confirm(caller, query.token)
      reply.endSession()
      return query.callbackURL === undefined ? { success: true, message: messages.deleted } : new Redirect(query.callbackURL)
    },
  })
