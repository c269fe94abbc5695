import { type Base, defineFeature } from '../../feature.ts'
import type { Social } from '../methods/federated/index.ts'
import type { PasswordService, SignIn, SignUp } from '../methods/password/index.ts'
import { pageFormRoutes } from './routes.ts'

interface Needs {
  readonly accounts: SignUp
  readonly passwordSignIn: SignIn
  readonly passwordService: PasswordService
  readonly social?: Social
}

/** Forms of hosted pages that work without script. */
export const pageFormsFeature = defineFeature({
  name: 'page-forms',
  build: ({ trustedUrls }: Base, _config: unknown, needs: Needs) => ({
    api: {},
    routes: pageFormRoutes({ trustedUrls, ...needs }),
  }),
})
