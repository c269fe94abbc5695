import type { Clock } from '../core/clock.ts'
import type { Passwords, Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { inLanguageOf } from '../core/language.ts'
import type { Log } from '../core/log.ts'
import type { SecurityLog } from '../core/security-log.ts'
import type { Feature } from '../feature.ts'
import type { TrustedUrls } from '../http/trusted-url.ts'
import type { Mail } from '../mail/index.ts'
import type { NewDevice, Sessions } from '../sessions/index.ts'
import type { Users } from '../users/index.ts'
import { createRecoveryLinks } from './address-recovery/links.ts'
import { addressRecoveryRoutes } from './address-recovery/routes.ts'
import { createAddressRecovery } from './address-recovery/service.ts'
import type { AccountsConfig, PasswordConfig } from './config.ts'
import { confirmationRoutes } from './confirmation/routes.ts'
import { createConfirmation } from './confirmation/service.ts'
import { deletionRoutes } from './deletion/routes.ts'
import { type BeforeDeletion, createDeletion, type Deletion, type DeletionGuard } from './deletion/service.ts'
import { accountErrors } from './errors.ts'
import { createGuessing } from './guessing/service.ts'
import { createIdentities, type Identities, type Identity, type ProviderTokens, type SealedTokens } from './identities/service.ts'
import { sealedColumns } from './identities/store.ts'
import { linkedAccountRoutes } from './linked/routes.ts'
import { createLinkedAccounts } from './linked/service.ts'
import type { NetworkLimit } from './network-limit.ts'
import { createNotices } from './notices.ts'
import { createPasswordPolicy } from './password-policy.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { answerResetRequest, createPasswordCare, type PasswordCare } from './passwords/service.ts'
import { profileRoutes } from './profile/routes.ts'
import { createProfile } from './profile/service.ts'
import { requestJobs } from './requests/jobs.ts'
import { createMailRequests } from './requests/service.ts'
import { accountRoutes } from './routes.ts'
import type { AccountChoice } from './rules.ts'
import { type Accounts, createAccounts, type NewAccount, type PreparedAccount } from './service.ts'
import { type AccessEnded, createTakeOver, type TakeOver } from './taking-over.ts'
import { createOneTimeTokens } from './tokens/service.ts'
import { createVerification } from './verification.ts'
import { createVerificationTokens } from './verification-token.ts'

export type {
  AccessEnded,
  AccountChoice,
  Accounts,
  BeforeDeletion,
  Deletion,
  DeletionGuard,
  Identities,
  Identity,
  NewAccount,
  PasswordCare,
  PreparedAccount,
  ProviderTokens,
  SealedTokens,
  TakeOver,
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly security: SecurityLog
  readonly entropy: Entropy
  readonly log: Log
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly users: Users
  readonly sessions: Sessions
  readonly mail: Mail
  readonly trustedUrls: TrustedUrls
  readonly url: string
  readonly accounts: AccountsConfig
  readonly password: PasswordConfig
  readonly limit: NetworkLimit | undefined
  readonly freshAgeSeconds: number
  /** Asked before a user is deleted. */
  readonly deletionGuards: readonly DeletionGuard[]
  readonly beforeDeletion: readonly BeforeDeletion[]
  /** Told when an account comes to the one who has proven its address. */
  readonly onTakenOver: readonly AccessEnded[]
}

export interface AccountsFeature extends Feature {
  readonly api: Accounts
  /** Accounts at providers, for social sign-in. */
  readonly identities: Identities
  readonly takeOver: TakeOver
  readonly passwordCare: PasswordCare
  readonly deletion: Deletion
  /** Mails the user about a sign-in from somewhere new. */
  readonly newDevice: NewDevice
}

export const accountsFeature = (deps: Deps): AccountsFeature => {
  const { transact, clock, secrets, users, mail, accounts: config } = deps
  const notices = createNotices(deps.url)
  const policy = createPasswordPolicy(deps.passwords, deps.password)
  const guessing = createGuessing(transact, clock, config.guessing)
  const signedTokens = createVerificationTokens(secrets, clock, config.verificationTtlSeconds)
  const tokens = createOneTimeTokens(deps)
  const identities = createIdentities(deps)
  const takeOver = createTakeOver({ ...deps, guessing, identities })
  const shared = { ...deps, notices, policy, guessing, identities, takeOver, tokens, config }

  const requests = createMailRequests({
    ...deps,
    answers: {
      reset: answerResetRequest(shared),
      verification: async (user, callbackURL, asker) => {
        const message = user.emailVerified ? undefined : await verification.mailFor(user, asker, callbackURL)
        return message && (async (tx) => void (await mail.enqueue(tx, message)))
      },
    },
  })
  const recoveryLinks = createRecoveryLinks({ ...deps, ttlSeconds: config.addressRecoveryTtlSeconds })
  const verification = createVerification({ ...shared, tokens: signedTokens, requests, recoveryLinks })
  const api = createAccounts({ ...shared, verification })
  const passwordCare = createPasswordCare({ ...shared, requests, recoveryLinks })
  const confirmation = createConfirmation({ ...shared, verification, passwordCare })
  const recovery = createAddressRecovery({ ...shared, passwordCare })
  const profile = createProfile({ ...shared, tokens: signedTokens, verification })
  const deletion = createDeletion(shared)
  const linked = createLinkedAccounts(shared)

  const sweep = async (stop: AbortSignal) => {
    for (const part of [tokens, requests, guessing, recoveryLinks]) await part.sweep(stop)
  }

  return {
    api,
    identities,
    takeOver,
    passwordCare,
    deletion,
    newDevice: async (tx, { userId, ipAddress, createdAt }, device, caller) => {
      const user = config.newDeviceMail ? await users.find(tx, userId) : undefined
      if (user !== undefined) await mail.enqueue(tx, notices.newDevice(inLanguageOf(caller, user), device, ipAddress, createdAt))
    },
    routes: [
      ...accountRoutes(api, verification, deps.trustedUrls),
      ...confirmationRoutes(confirmation),
      ...addressRecoveryRoutes(recovery),
      ...passwordRoutes(passwordCare, deps.trustedUrls),
      ...profileRoutes(profile),
      ...deletionRoutes(deletion),
      ...linkedAccountRoutes(linked),
    ],
    jobs: [...requestJobs(requests), { name: 'accounts.sweep', everyMs: 60_000, run: sweep }],
    errors: accountErrors.table,
    sealedColumns,
  }
}
