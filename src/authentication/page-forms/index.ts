import { type Base, defineFeature } from '../../feature.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Social } from '../methods/federated/index.ts'
import type { MailSignIn } from '../methods/mail-sign-in/index.ts'
import type { PasswordService, SignIn, SignUp } from '../methods/password/index.ts'
import { pageFormRoutes } from './routes.ts'

interface Needs {
  readonly users: Users
  readonly accounts: SignUp
  readonly passwordSignIn: SignIn
  readonly passwordService: PasswordService
  readonly social?: Social
  readonly mailSignIn?: MailSignIn
}

/** Handles the forms of hosted pages in browsers without script. */
export const pageFormsFeature = defineFeature({
  name: 'page-forms',
  build: ({ trustedUrls }: Base, _config: unknown, needs: Needs) => ({
    api: {},
    routes: pageFormRoutes({ trustedUrls, names: needs.users.names, ...needs }),
  }),
})
