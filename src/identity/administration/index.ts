import type { PasswordService, SignUp } from '../../authentication/methods/password/index.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import { originPatterns } from '../../core/config.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { Deletion } from '../deletion/index.ts'
import type { RoleDirectory } from '../roles/index.ts'
import type { UserAdministration, Users } from '../users/index.ts'
import { administrationCommands } from './cli.ts'
import { administrationErrors } from './errors.ts'
import { administrationRoutes } from './routes.ts'
import { type Administration, createAdministration } from './service.ts'

export type { Administration }

interface Needs {
  readonly users: Users
  readonly userAdministration: UserAdministration
  readonly accounts: SignUp
  readonly passwordService: PasswordService
  readonly deletion: Deletion
  readonly sessions: Sessions
  readonly instanceRoles: RoleDirectory
}

/** What administrators do about one user, in the calls of Better Auth's admin client. */
export const administrationFeature = defineFeature({
  name: 'administration',
  config: {
    admin: {
      trustedOrigins: originPatterns.describe(
        'Origins, besides the public address, whose pages may make the calls of administrators, `/admin/*`, with the session: for a console of your own.',
      ),
    },
  },
  errors: administrationErrors.table,
  commands: [administrationCommands],
  build: (base: Base, _config: object, needs: Needs) => {
    const administration = createAdministration({ ...base, ...needs })
    return { api: { administration }, routes: administrationRoutes(administration, needs.userAdministration) }
  },
})
