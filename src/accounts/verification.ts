import type { Caller, UserCaller } from '../core/caller.ts'
import { type Db, lockRow, type Transact, type Tx } from '../core/database.ts'
import { coreErrors } from '../core/errors.ts'
import { inLanguageOf } from '../core/language.ts'
import type { Asker, NewMail } from '../mail/index.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { User, Users } from '../users/index.ts'
import { askerOf } from './asker.ts'
import type { AccountsConfig } from './config.ts'
import { requireEmail } from './email.ts'
import { accountErrors } from './errors.ts'
import type { Identities } from './identities/service.ts'
import type { Notices, Outbox } from './notices.ts'
import type { MailRequests } from './requests/service.ts'
import type { VerificationTokens } from './verification-token.ts'

/** What a verification link did. */
export interface Verified {
  readonly user: User
  /** The address was changed, not verified. */
  readonly isChange: boolean
  readonly started: StartedSession | undefined
}

export interface Verification {
  /** The mail that verifies the address of a user, who need not be stored yet. Signed, so made before a transaction. */
  mailFor(
    user: Pick<User, 'id' | 'name' | 'email' | 'emailVersion' | 'language'>,
    asker: Asker,
    callbackURL: string | undefined,
  ): Promise<NewMail>
  /** Asks for such a mail. Signed-in callers only for themselves; whether a stranger's address is known stays untold. */
  request(caller: Caller, email: string, callbackURL: string | undefined): Promise<void>
  /**
   * Does what a link stands for: verifies the address, or changes it for the user who is signed in. Throws UNAUTHORIZED to others, when
   * verifying only where the user has accounts at providers.
   */
  follow(caller: Caller, token: string, callbackURL: string | undefined): Promise<Verified>
  /** True for a good link that would verify an address, whoever opens it. Does nothing. */
  wouldVerify(token: string): Promise<boolean>
  /** Gives a user another address, with the mails that belong to it. Throws COULDNT_UPDATE_YOUR_EMAIL. */
  changeEmail(caller: UserCaller, user: User, newEmail: string, callbackURL: string | undefined): Promise<User>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly users: Users
  readonly sessions: Sessions
  readonly identities: Identities
  readonly mail: Outbox
  readonly notices: Notices
  readonly tokens: VerificationTokens
  readonly requests: MailRequests
  readonly config: AccountsConfig
}

export const createVerification = (deps: Deps): Verification => {
  const { db, transact, users, sessions, identities, mail, notices, tokens, requests, config } = deps

  const mailFor: Verification['mailFor'] = async (user, asker, callbackURL = '/') => {
    const token = await tokens.create({ userId: user.id, email: user.email, emailVersion: user.emailVersion })
    return notices.verification(user, token, callbackURL, config.verificationTtlSeconds, asker)
  }

  const changeEmail: Verification['changeEmail'] = async (caller, user, newEmail, callbackURL) => {
    const next = { ...user, email: newEmail, emailVersion: user.emailVersion + 1 }
    const verification = config.verificationMailEnabled ? await mailFor(next, askerOf(caller), callbackURL) : undefined
    return transact(async (tx) => {
      if ((await users.changeEmail(tx, user.id, user, newEmail)) !== 'changed')
        throw accountErrors.refuse('COULDNT_UPDATE_YOUR_EMAIL')
      if (verification !== undefined) await mail.enqueue(tx, verification)
      await mail.enqueue(tx, notices.emailChanged(user, newEmail))
      return (await users.find(tx, user.id)) ?? next
    })
  }

  const isOf = (caller: Caller, userId: string): caller is UserCaller => caller.kind === 'user' && caller.user.id === userId
  const unauthorized = () => coreErrors.refuse('UNAUTHORIZED', { message: 'unauthorized' })

  const verify = (caller: Caller, user: User) =>
    transact(async (tx: Tx) => {
      await lockRow(tx, 'user', user.id)
      // Else the owner of the address would vouch for whoever linked an account and wrote the address there (decision 0033).
      if (!user.emailVerified && !isOf(caller, user.id) && (await identities.hasAny(tx, user.id))) throw unauthorized()
      const isFirst = await users.verifyEmail(tx, user.id, user)
      const begins = isFirst && config.signInAfterVerification
      const started = begins ? await sessions.start(tx, caller, user.id, { rememberMe: true }) : undefined
      return { user, isChange: false, started }
    })

  return {
    mailFor,
    changeEmail,
    request: async (caller, address, callbackURL) => {
      if (!config.verificationMailEnabled) throw accountErrors.refuse('VERIFICATION_EMAIL_ISNT_ENABLED')
      const email = requireEmail(address)
      if (caller.kind === 'user') {
        if (caller.user.emailVerified) throw accountErrors.refuse('YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL')
        if (caller.user.email !== email) throw accountErrors.refuse('YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL')
      }
      await requests.ask(caller, 'verification', email, callbackURL)
    },
    wouldVerify: async (token) => {
      const claim = await tokens.read(token)
      return typeof claim !== 'string' && claim.updateTo === undefined
    },
    follow: async (caller, token, callbackURL) => {
      const claim = await tokens.read(token)
      if (typeof claim === 'string') throw accountErrors.refuse(claim)
      const { userId, email, emailVersion, updateTo } = claim
      const user = await users.require(db, userId, 'user_not_found')
      // The address has changed since: the link proves nothing any more.
      if (user.email !== email || user.emailVersion !== emailVersion) throw accountErrors.refuse('INVALID_TOKEN')
      if (updateTo === undefined) return verify(caller, user)
      if (!isOf(caller, userId)) throw unauthorized()
      return {
        user: await changeEmail(caller, inLanguageOf(caller, user), updateTo, callbackURL),
        isChange: true,
        started: undefined,
      }
    },
  }
}
