import type { PasswordService, SignUp } from '../../../authentication/methods/password/index.ts'
import type { Sessions } from '../../../authentication/sessions/index.ts'
import { originPatterns } from '../../../core/config.ts'
import { type Base, defineFeature } from '../../../feature.ts'
import type { Deletion } from '../../deletion/index.ts'
import type { RoleDirectory } from '../../roles/index.ts'
import { userActionCommands } from '../cli.ts'
import type { ManagedUsers } from '../managed.ts'
import type { Users } from '../service.ts'
import { accountCommands } from './cli.ts'
import { administrationErrors } from './contract/actions.ts'
import { userAdministrationRoutes } from './routes.ts'
import { createUserAdministration, type UserAdministration } from './service.ts'

export type { UserAdministration }

interface Needs {
  readonly users: Users
  readonly managedUsers: ManagedUsers
  readonly accounts: SignUp
  readonly passwordService: PasswordService
  readonly deletion: Deletion
  readonly sessions: Sessions
  readonly instanceRoles: RoleDirectory
}

/** The administration of users. It is built after the features that it uses: passwords, sessions and deletion. */
export const userAdministrationFeature = defineFeature({
  name: 'user-administration',
  config: {
    admin: {
      trustedOrigins: originPatterns
        .describe(
          'Origins, besides the public address, whose pages may make the calls of administrators, `/admin/*`, with the session: for a console of your own.',
        )
        .meta({ weakened: 'added' }),
    },
  },
  errors: administrationErrors.table,
  commands: [accountCommands, userActionCommands],
  build: (base: Base, _config: object, needs: Needs) => {
    const administration = createUserAdministration({ ...base, ...needs })
    return { api: { administration }, routes: userAdministrationRoutes(administration, needs.managedUsers) }
  },
})
