import type { Caller, UserCaller } from '../core/caller.ts'
import { type Db, lockRow, type Transact, type Tx } from '../core/database.ts'
import { coreErrors } from '../core/errors.ts'
import { inLanguageOf } from '../core/language.ts'
import type { Asker, NewMail } from '../mail/index.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { User, Users } from '../users/index.ts'
import type { RecoveryLinks } from './address-recovery/links.ts'
import { askerOf } from './asker.ts'
import type { AccountsConfig } from './config.ts'
import { requireEmail } from './email.ts'
import { accountErrors } from './errors.ts'
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
   * Does what a link stands for: verifies the address, or changes it for the user who is signed in. Throws UNAUTHORIZED where nothing shows
   * that the account is the caller's. `begins`: a session may begin, where the setting says so.
   */
  follow(caller: Caller, token: string, callbackURL: string | undefined, options: { readonly begins: boolean }): Promise<Verified>
  /** True for a good link that would verify the address of an account that the caller is not signed in to. Does nothing. */
  asksFirst(caller: Caller, token: string): Promise<boolean>
  /** The user whose address a link verifies. Throws TOKEN_EXPIRED, INVALID_TOKEN and USER_NOT_FOUND. */
  userOf(token: string): Promise<User>
  /** The caller is signed in to the account, or uses a browser that has been: mail that was asked for there may be opened there. */
  isTheirs(caller: Caller, user: User): Promise<boolean>
  /** Verifies the address of a user. */
  verify(caller: Caller, user: User, options: BeginOptions): Promise<Verified>
  /** Begins a session, unless another user is signed in: nobody's session is replaced by a link from a mail. */
  begin(tx: Tx, caller: Caller, user: User, options: { readonly byPassword: boolean }): Promise<StartedSession | undefined>
  /** Gives a user another address, with the mails that belong to it. Throws COULDNT_UPDATE_YOUR_EMAIL, and UNAUTHORIZED when the session is over. */
  changeEmail(caller: UserCaller, user: User, newEmail: string, callbackURL: string | undefined): Promise<User>
}

interface BeginOptions {
  /** A session may begin, where the setting says so. */
  readonly begins: boolean
  /** The password was given. */
  readonly byPassword?: boolean
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly users: Users
  readonly sessions: Sessions
  readonly mail: Outbox
  readonly notices: Notices
  readonly tokens: VerificationTokens
  readonly requests: MailRequests
  readonly recoveryLinks: RecoveryLinks
  readonly config: AccountsConfig
}

export const createVerification = (deps: Deps): Verification => {
  const { db, transact, users, sessions, recoveryLinks, mail, notices, tokens, requests, config } = deps

  const mailFor: Verification['mailFor'] = async (user, asker, callbackURL = '/') => {
    const token = await tokens.create({ userId: user.id, email: user.email, emailVersion: user.emailVersion })
    return notices.verification(user, token, callbackURL, config.verificationTtlSeconds, asker)
  }

  const changeEmail: Verification['changeEmail'] = async (caller, user, newEmail, callbackURL) => {
    const next = { ...user, email: newEmail, emailVersion: user.emailVersion + 1 }
    const verification = config.verificationMailEnabled ? await mailFor(next, askerOf(caller), callbackURL) : undefined
    return transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      // A session that a reset or a claim has ended since the request came changes nothing.
      if ((await sessions.ownerOf(tx, caller.session.id)) !== user.id) throw unauthorized()
      const before = (await users.find(tx, user.id)) ?? user
      if ((await users.changeEmail(tx, user.id, user, newEmail)) !== 'changed')
        throw accountErrors.refuse('COULDNT_UPDATE_YOUR_EMAIL')
      if (verification !== undefined) await mail.enqueue(tx, verification)
      const token = await recoveryLinks.issue(tx, before)
      const recovery = token === undefined ? undefined : { token, ttlSeconds: recoveryLinks.ttlSeconds }
      await mail.enqueue(tx, notices.emailChanged(user, newEmail, recovery))
      return (await users.find(tx, user.id)) ?? next
    })
  }

  const isOf = (caller: Caller, userId: string): caller is UserCaller => caller.kind === 'user' && caller.user.id === userId
  const unauthorized = () => coreErrors.refuse('UNAUTHORIZED', { message: 'unauthorized' })

  const isTheirs: Verification['isTheirs'] = async (caller, user) =>
    isOf(caller, user.id) || sessions.isKnownDevice(db, user.id, caller.deviceId?.())

  const begin: Verification['begin'] = async (tx, caller, user, { byPassword }) =>
    caller.kind === 'user' && caller.user.id !== user.id
      ? undefined
      : sessions.start(tx, caller, user.id, { rememberMe: true, byPassword })

  const verify: Verification['verify'] = (caller, user, { begins, byPassword = false }) =>
    transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      const isFirst = await users.verifyEmail(tx, user.id, user)
      const started =
        isFirst && begins && config.signInAfterVerification ? await begin(tx, caller, user, { byPassword }) : undefined
      return { user: (await users.find(tx, user.id)) ?? user, isChange: false, started }
    })

  /** The claim of a link with its user, who still has the address: else the link proves nothing any more. */
  const read = async (token: string) => {
    const claim = await tokens.read(token)
    if (typeof claim === 'string') throw accountErrors.refuse(claim)
    const user = await users.require(db, claim.userId, 'user_not_found')
    if (user.email !== claim.email || user.emailVersion !== claim.emailVersion) throw accountErrors.refuse('INVALID_TOKEN')
    return { user, updateTo: claim.updateTo }
  }

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
    asksFirst: async (caller, token) => {
      const claim = await tokens.read(token)
      return typeof claim !== 'string' && claim.updateTo === undefined && !isOf(caller, claim.userId)
    },
    userOf: async (token) => {
      const { user, updateTo } = await read(token)
      if (updateTo !== undefined) throw accountErrors.refuse('INVALID_TOKEN')
      return user
    },
    isTheirs,
    verify,
    begin,
    follow: async (caller, token, callbackURL, { begins }) => {
      const { user, updateTo } = await read(token)
      if (updateTo === undefined) {
        // Else the owner of the address would vouch for whoever made the account (decisions 0033 and 0084).
        if (!user.emailVerified && !(await isTheirs(caller, user))) throw unauthorized()
        return verify(caller, user, { begins })
      }
      if (!isOf(caller, user.id)) throw unauthorized()
      return {
        user: await changeEmail(caller, inLanguageOf(caller, user), updateTo, callbackURL),
        isChange: true,
        started: undefined,
      }
    },
  }
}
