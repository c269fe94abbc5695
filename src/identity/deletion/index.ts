import type { Attempts } from '../../authentication/attempts/index.ts'
import type { SecondFactors } from '../../authentication/second-factors/index.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { AccountMails, OneTimeTokens } from '../../authentication/verification/index.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { Redirect } from '../../http/contract.ts'
import { bind } from '../../http/handlers.ts'
import type { Mail } from '../../mail/index.ts'
import type { Credentials } from '../identities/index.ts'
import type { Users } from '../users/index.ts'
import { type DeletionConfig, deletionContract, deletionErrors, deletionSettings } from './contract.ts'
import { createDeletion, type Deletion } from './service.ts'

const messages = { deleted: 'User deleted', mailed: 'Verification email sent' } as const

const deletionRoutes = (deletion: Deletion) =>
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

export type { Deletion }

interface Config {
  readonly accounts: DeletionConfig
}

interface Needs {
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly tokens: OneTimeTokens
}

const build = (base: Base, { accounts: config }: Config, needs: Needs) => {
  const deletion = createDeletion({ ...base, ...needs, config })
  return { api: { deletion }, routes: deletionRoutes(deletion) }
}

export const deletionFeature = defineFeature({
  name: 'deletion',
  config: { accounts: deletionSettings },
  errors: deletionErrors.table,
  build,
})
