import { reactTo } from '../../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../../core/queue.ts'
import { retentionOfRows } from '../../../core/retention.ts'
import { type Base, type Built, defineFeature } from '../../../feature.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import { sessionEvents } from '../../sessions/contract.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { VerificationApi } from '../../verification/index.ts'
import { passwordEvents } from '../password/contract.ts'
import { type Asking, createAsking } from './asking.ts'
import { type MailSignInConfig, mailSignInConfig, mailSignInErrors } from './contract.ts'
import { mailSignInRoutes } from './routes.ts'
import { createSignInByMail, type SignInByMail } from './sign-in.ts'
import * as store from './store.ts'

interface Needs extends VerificationApi {
  readonly users: Users
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly mail: Mail
  readonly signInFailures?: SignInFailures
}

interface Config {
  readonly mailSignIn: MailSignInConfig
  readonly accounts: { readonly signUpEnabled: boolean }
}

/** The functions that are also called for forms of pages without script. */
export type MailSignIn = Pick<Asking, 'ask'> & Pick<SignInByMail, 'withCode'>

const build = (base: Base, { mailSignIn: config, accounts }: Config, needs: Needs) => {
  const { signUpEnabled } = accounts
  const deps = { ...base, ...needs, config, signUpEnabled, maySignUp: config.signUp && signUpEnabled }
  const asking = createAsking(deps)
  const signIn = createSignInByMail(deps)
  const mailSignIn: MailSignIn = { ask: asking.ask, withCode: signIn.withCode }
  const retention = retentionOfRows(base, 'sign-ins by mail', 'that have expired', () => store.expiredSignIns(base.clock.now()))
  const forget: Parameters<typeof reactTo>[1] = async (tx, { subjectId }) => void (await store.deleteSignInsOf(tx, subjectId))
  return {
    access: { mail_sign_in: 'mailed sign-ins' },
    withheldData: [{ table: 'mail_sign_in', why: 'holds hashes of mailed links and codes, until they are used or expire' }],
    api: { mailSignIn },
    guards: { signsIn: async () => config.enabled },
    routes: mailSignInRoutes(asking, signIn),
    reactions: [
      // Links and codes that were mailed before are invalid after a password reset, and after all sessions were ended.
      reactTo(passwordEvents['user.password_reset'], forget),
      reactTo(passwordEvents['user.password_changed'], forget),
      reactTo(sessionEvents['user.sessions_ended'], forget),
    ],
    retentions: [retention],
    tasks: [asking.task, periodic('mail-sign-in.sweep', sweepSeconds, retention.sweep)],
  } satisfies Built
}

/** Signs people in with a mailed link or code. */
export const mailSignInFeature = defineFeature({
  name: 'mail-sign-in',
  config: { mailSignIn: mailSignInConfig },
  errors: mailSignInErrors.table,
  build,
})
