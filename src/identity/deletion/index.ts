import type { Attempts } from '../../authentication/attempts/index.ts'
import type { SecondFactors } from '../../authentication/second-factors/index.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { AccountMails, OneTimeTokens } from '../../authentication/verification/index.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { Mail } from '../../mail/index.ts'
import type { Credentials } from '../identities/index.ts'
import type { Users } from '../users/index.ts'
import { type DeletionConfig, deletionSettings } from './config.ts'
import { deletionErrors } from './errors.ts'
import { deletionRoutes } from './routes.ts'
import { createDeletion, type Deletion } from './service.ts'

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
