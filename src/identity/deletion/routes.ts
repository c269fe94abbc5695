import { Redirect } from '../../http/contract.ts'
import { bind } from '../../http/handlers.ts'
import { deletionContract } from './contract.ts'
import { deletionErrors } from './errors.ts'
import type { Deletion } from './service.ts'

const messages = { deleted: 'User deleted', mailed: 'Verification email sent' } as const

export const deletionRoutes = (deletion: Deletion) =>
  bind(deletionContract, {
    deleteUser: async (principal, { body, cookies }) => {
      const outcome = await deletion.request(principal, body)
      if (outcome === 'deleted') cookies.endSession()
      return { success: true, message: messages[outcome] }
    },
    deleteUserCallback: async (principal, { query, cookies }) => {
      deletion.requireEnabled()
      if (principal.kind !== 'user') throw deletionErrors.error('FAILED_TO_GET_USER_INFO')
      await deletion.confirm(principal, query.token)
      cookies.endSession()
      return query.callbackURL === undefined ? { success: true, message: messages.deleted } : new Redirect(query.callbackURL)
    },
  })
