import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import { type AppError, coreErrors } from '../../core/errors.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Attempts, AuthenticationMethod, Proof } from '../attempts/index.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { EmailChange } from './change-email.ts'
import type { VerificationConfig } from './contract.ts'
import { verificationErrors } from './contract.ts'
import type { MailRequests } from './mail-requests.ts'
import type { SignedLinks } from './signed-links.ts'

/** The result after a person has opened a verification link. */
export interface Verified {
  readonly user: User
  /** True if the link has changed the mail address. False if it has verified the present one. */
  readonly isChange: boolean
  readonly started: StartedSession | undefined
}

interface VerifyOptions {
  /** True if a session may start, provided that `accounts.signInAfterVerification` is set. */
  readonly maySignIn: boolean
  /** The proofs that the caller has given besides the link. */
  readonly proofs?: readonly Proof[]
}

/** Verifies mail addresses with mailed links. */
export interface Verification {
  /**
   * Requests a mail with a verification link. Signed-in callers can request it only for their own mail address. For other callers, the
   * answer does not reveal whether the address has an account.
   */
  request(principal: Principal, email: string, callbackURL: string | undefined): Promise<void>
  /**
   * Verifies the mail address for which the link was made, or changes the address of the signed-in user to it. Throws UNAUTHORIZED if the
   * link is for the account of another user.
   */
  follow(principal: Principal, token: string, callbackURL: string | undefined, options: VerifyOptions): Promise<Verified>
  /**
   * True if the link is valid, but nothing shows that the account of the link is the caller's. A page then has to ask for a proof. The
   * link stays valid.
   */
  needsConfirmation(principal: Principal, token: string): Promise<boolean>
  /** The user for whom a verification link was made. Throws TOKEN_EXPIRED, INVALID_TOKEN and USER_NOT_FOUND. */
  userOf(token: string): Promise<User>
  /** True if the caller is signed in to the account, or has signed in to it in this browser before. Such a caller need not prove ownership. */
  isOwner(principal: Principal, user: User): Promise<boolean>
  /** Makes the error for a link that is invalid or was used. */
  invalidToken(): AppError
  /** Verifies the mail address of a user. The caller has checked that the user is not banned. */
  verify(principal: Principal, user: User, options: VerifyOptions): Promise<Verified>
  /**
   * Called after a link has verified the mail address. Starts a session for the reader of the link if `accounts.signInAfterVerification`
   * is set. Does not start a session if a second factor is needed. Does not start one either if another user is signed in, because a
   * mailed link must not replace that user's session.
   */
  signIn(tx: Tx, principal: Principal, user: User, proofs: readonly Proof[]): Promise<StartedSession | undefined>
}

interface Deps extends Core {
  readonly users: Users
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly links: SignedLinks
  readonly requests: MailRequests
  readonly emailChange: EmailChange
  readonly config: VerificationConfig
}

const mailLink: AuthenticationMethod = { name: 'mail-link', amr: [], factors: ['knowledge'] }

export const createVerification = (deps: Deps): Verification => {
  const { db, transact, users, sessions, attempts, links, requests, emailChange, config } = deps

  const isSignedInAs = (principal: Principal, userId: string): principal is UserPrincipal =>
    // An administrator who impersonates the user has not proven access to the user's mailbox.
    principal.kind === 'user' && principal.user.id === userId && principal.session.impersonatedBy === null
  const invalidToken = () => verificationErrors.error('INVALID_TOKEN')
  const unauthorized = () => coreErrors.error('UNAUTHORIZED', { message: 'unauthorized' })

  const isOwner: Verification['isOwner'] = async (principal, user) =>
    isSignedInAs(principal, user.id) || sessions.isKnownDevice(db, user.id, principal.deviceId?.())

  const signIn: Verification['signIn'] = async (tx, principal, user, proofs) => {
    if (!config.signInAfterVerification || (principal.kind === 'user' && principal.user.id !== user.id)) return undefined
    const all = [attempts.proof(mailLink, user.id), ...proofs]
    return attempts.startIfEnough(tx, principal, { ...user, emailVerified: true }, all, { rememberMe: true })
  }

  const verify: Verification['verify'] = (principal, user, { maySignIn, proofs = [] }) =>
    transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      const isFirst = await users.verifyEmail(tx, principal, user.id, user)
      const current = (await users.find(tx, user.id)) ?? user
      const started = isFirst && maySignIn ? await signIn(tx, principal, current, proofs) : undefined
      return { user: current, isChange: false, started }
    })

  /**
   * The user of a link, and the new mail address if the link changes it. Throws if the user does not have the mail address of the link
   * any more.
   */
  const read = async (token: string) => {
    const claims = await links.read(token)
    if (typeof claims === 'string') throw verificationErrors.error(claims)
    const user = await users.require(db, claims.userId, { message: 'user_not_found' })
    if (user.email !== claims.email || user.emailVersion !== claims.emailVersion) throw invalidToken()
    attempts.requireNotBanned(user)
    return { user, updateTo: claims.updateTo }
  }

  return {
    request: async (principal, address, callbackURL) => {
      if (!config.verificationMailEnabled) throw verificationErrors.error('VERIFICATION_EMAIL_ISNT_ENABLED')
      const email = users.requireEmail(address)
      if (principal.kind === 'user') {
        if (principal.user.emailVerified)
          throw verificationErrors.error('YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL')
        if (principal.user.email !== email)
          throw verificationErrors.error('YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL')
      }
      await requests.request(principal, 'verification', email, callbackURL)
    },
    needsConfirmation: async (principal, token) => {
      const claims = await links.read(token)
      return typeof claims !== 'string' && claims.updateTo === undefined && !isSignedInAs(principal, claims.userId)
    },
    userOf: async (token) => {
      const { user, updateTo } = await read(token)
      if (updateTo !== undefined) throw invalidToken()
      return user
    },
    isOwner,
    invalidToken,
    verify,
    signIn,
    follow: async (principal, token, callbackURL, options) => {
      const { user, updateTo } = await read(token)
      if (updateTo === undefined) {
        // Without this check, the owner of the mail address would unknowingly verify an account that another person has created
        // (docs/design/accounts.md#an-address-that-nobody-has-proven and docs/design/sign-in.md#links-by-mail).
        if (!user.emailVerified && !(await isOwner(principal, user))) throw unauthorized()
        return verify(principal, user, options)
      }
      if (!isSignedInAs(principal, user.id)) throw unauthorized()
      const changed = await emailChange.apply(principal, inLanguageOf(principal, user), updateTo, callbackURL)
      return { user: changed, isChange: true, started: undefined }
    },
  }
}
