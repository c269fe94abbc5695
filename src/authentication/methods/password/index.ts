import { join } from 'node:path'
import { createPasswords } from '../../../core/crypto.ts'
import { reactTo } from '../../../core/events/record.ts'
import type { OutboundConfig } from '../../../core/fetch.ts'
import { type Base, type Built, defineFeature } from '../../../feature.ts'
import { bind, documented } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import type { Credentials } from '../../../identity/identities/index.ts'
import type { RoleDirectory } from '../../../identity/roles/index.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { SignInFailures } from '../../failures/index.ts'
import type { RememberedBrowsers } from '../../remembered-browsers/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { VerificationApi } from '../../verification/index.ts'
import { breachedFile, createBreachedCommands } from './breached/cli.ts'
import { importBreached } from './breached/importing.ts'
import { createBreachedPasswords } from './breached/service.ts'
import { type PasswordConfig, type PasswordSettings, passwordConfig, passwordSettings } from './config.ts'
import { passwordErrors, passwordEvents, signInContract, signInDocumentation } from './contract.ts'
import { createMailedLinks } from './new-password/mailed-links.ts'
import type { RecoveryLink } from './new-password/resets.ts'
import { newPasswordRoutes } from './new-password/routes.ts'
import { createPasswordService, type PasswordService } from './new-password/service.ts'
import { createPasswordPolicy } from './policy.ts'
import type { SignIn } from './sign-in.ts'
import { createSignIn } from './sign-in.ts'
import { createSignUp, type NewAccount, type PreparedAccount, type SignUp } from './sign-up.ts'

const signInRoutes = (signIn: SignIn, { signUp }: Pick<SignUp, 'signUp'>) => {
  const answer = (
    { user, outcome }: Awaited<ReturnType<SignIn['withEmail']>>,
    { callbackURL }: { readonly callbackURL?: string | undefined },
    cookies: Parameters<typeof setOutcome>[0],
  ) => {
    setOutcome(cookies, outcome)
    if (outcome.kind === 'pending') return twoFactorAnswer(outcome.pending)
    return {
      redirect: callbackURL !== undefined,
      token: outcome.started.token,
      ...(callbackURL === undefined ? {} : { url: callbackURL }),
      user,
    }
  }
  return bind(documented(signInContract, signInDocumentation), {
    signUpEmail: async (principal, { body, cookies }) => {
      const { user, started } = await signUp(principal, body)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      cookies.rememberDevice()
      return { token: started?.token ?? null, user }
    },
    signInEmail: async (principal, { body, cookies }) => answer(await signIn.withEmail(principal, body), body, cookies),
    signInUsername: async (principal, { body, cookies }) => answer(await signIn.withUsername(principal, body), body, cookies),
  })
}

export type { NewAccount, PasswordService, PreparedAccount, RecoveryLink, SignIn, SignUp }

interface Config {
  readonly dataDir: string
  readonly outbound: OutboundConfig
  readonly accounts: PasswordSettings
  readonly password: PasswordConfig
  readonly sessions: { readonly freshAgeSeconds: number }
  readonly mailSignIn?: { readonly enabled: boolean }
}

interface Needs extends VerificationApi {
  readonly instanceRoles: RoleDirectory
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly secondFactors: SecondFactors
  readonly attempts: Attempts
  readonly mail: Mail
  readonly signInFailures?: SignInFailures
  readonly rememberedBrowsers?: RememberedBrowsers
}

const build = (
  base: Base,
  { dataDir, outbound, accounts: config, password, sessions: { freshAgeSeconds }, mailSignIn }: Config,
  needs: Needs,
) => {
  const passwords = createPasswords(password, base.random, base.metrics)
  const defaultFile = join(dataDir, breachedFile)
  const breached = createBreachedPasswords({ ...base, config: password.breached, outbound, defaultFile })
  const policy = createPasswordPolicy(passwords, password, needs.instanceRoles, breached)
  const shared = { ...base, ...needs, config, password, passwords, policy, freshAgeSeconds }
  const accounts = createSignUp(shared)
  const passwordService = createPasswordService(shared)
  const signIn = createSignIn(shared)
  const mailedLinks = createMailedLinks({
    ...shared,
    passwordService,
    isMailboxEnough: config.emailPasswordEnabled || mailSignIn?.enabled === true,
  })
  return {
    api: { accounts, passwordSignIn: signIn, passwordService },
    guards: {
      signsIn: async (db, userId) => config.emailPasswordEnabled && (await needs.credentials.find(db, userId)) !== undefined,
    },
    checks: breached.checks,
    prepare: breached.prepare,
    routes: [...signInRoutes(signIn, accounts), ...newPasswordRoutes({ ...shared, passwordService, mailedLinks })],
    reactions: [
      // The password was reset by mail or with the help of an administrator, both without a second factor. Remembered browsers therefore
      // have to give the second factor again.
      reactTo(passwordEvents['user.password_reset'], async (tx, { subjectId }, { actor }) => {
        await needs.rememberedBrowsers?.forgetAll(tx, actor, subjectId)
      }),
      // A user who ends all other sessions may suspect another person. A remembered browser may belong to that person.
      reactTo(passwordEvents['user.password_changed'], async (tx, { subjectId, data }, { actor }) => {
        if (data.areOtherSessionsEnded) await needs.rememberedBrowsers?.forgetAll(tx, actor, subjectId)
      }),
    ],
  } satisfies Built
}

export const passwordFeature = defineFeature({
  name: 'password',
  config: { accounts: passwordSettings, password: passwordConfig },
  errors: passwordErrors.table,
  events: passwordEvents,
  commands: [createBreachedCommands(importBreached)],
  build,
})
