import type { z } from 'zod'
import type { Principal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import type { Passwords } from '../../../core/crypto.ts'
import { AppError } from '../../../core/errors.ts'
import { requesterOf } from '../../../core/hash-queue.ts'
import { inLanguageOf } from '../../../core/language.ts'
import { parseEmail } from '../../../core/wire.ts'
import type { Credentials } from '../../../identity/identities/index.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts, AuthenticationMethod, Outcome } from '../../attempts/index.ts'
import type { SignInFailure, SignInFailures } from '../../failures/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { AccountMails, SignedLinks } from '../../verification/index.ts'
import type { PasswordSettings } from './config.ts'
import type { SignInEmail, SignInUsername } from './contract.ts'
import { passwordErrors } from './contract.ts'
import { findSigningIn } from './store.ts'

export const passwordMethod: AuthenticationMethod = { name: 'password', amr: ['pwd'], factors: ['knowledge'] }

interface Deps extends Core {
  readonly passwords: Passwords
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Pick<Sessions, 'deviceKeyOf'>
  readonly attempts: Attempts
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly links: SignedLinks
  readonly config: PasswordSettings
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
}

/** The reason of a failed attempt, by the code of its error. Errors that are missing here have a reason that depends on the account. */
const reasons: Readonly<Record<string, SignInFailure['reason']>> = {
  TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: 'locked',
  SERVICE_UNAVAILABLE: 'overloaded',
  BANNED_USER: 'banned',
  EMAIL_NOT_VERIFIED: 'email-not-verified',
}

/** The mail address or user name that a person typed, and the errors for it. */
interface Identifier {
  /** The normalized mail address or user name. A user name never looks like a mail address. */
  readonly text: string
  readonly kind: 'email' | 'username'
  readonly wrong: 'INVALID_EMAIL_OR_PASSWORD' | 'INVALID_USERNAME_OR_PASSWORD'
  readonly unknown: 'unknown-address' | 'unknown-name'
}

type Input = Omit<z.output<typeof SignInEmail>, 'email'>
type SignedIn = Promise<{ readonly user: User; readonly outcome: Outcome }>

/**
 * Signs in with a password. Each method throws EMAIL_AND_PASSWORD_IS_NOT_ENABLED, BANNED_USER and the errors of throttling. Each throws
 * EMAIL_NOT_VERIFIED, after a new link was mailed.
 */
export interface SignIn {
  /** Signs in with a mail address. Also throws INVALID_EMAIL and INVALID_EMAIL_OR_PASSWORD. */
  withEmail(principal: Principal, input: z.output<typeof SignInEmail>): SignedIn
  /** Signs in with a user name. Also throws USER_NAMES_ARE_NOT_ENABLED, the errors of an invalid name, and INVALID_USERNAME_OR_PASSWORD. */
  withUsername(principal: Principal, input: z.output<typeof SignInUsername>): SignedIn
}

export const createSignIn = (deps: Deps): SignIn => {
  const {
    db,
    transact,
    security,
    passwords,
    users,
    credentials,
    sessions,
    attempts,
    mail,
    accountMails,
    links,
    config,
    signInFailures,
  } = deps

  /** Logs a failed attempt, and stores it for support. */
  const fail = (principal: Principal, error: AppError, failure: Omit<SignInFailure, 'method' | 'code' | 'detail'>) => {
    security(principal, 'sign-in.failed', { userId: failure.userId ?? null, code: error.code })
    const detail = { seconds: error.retryAfterSeconds }
    signInFailures?.record(principal, { method: 'password', code: error.code, detail, ...failure }, error)
  }

  /**
   * Finds the user who has this mail address or user name, and this password. An unknown address or name takes as long as a wrong
   * password and leads to the same error.
   */
  const authenticate = async (principal: Principal, { text, kind, wrong, unknown }: Identifier, password: string) => {
    const found = await findSigningIn(db, kind, text, sessions.deviceKeyOf(principal.deviceId?.()))
    const { credential, isKnown } = found
    const user = found.user && users.shown(found.user)
    let wasOpened = false
    try {
      const opened = await attempts.openByAddress(principal, text, user?.id, isKnown)
      wasOpened = true
      const requester = requesterOf(principal, opened.isTrusted)
      const attempt = await attempts.prove(opened, passwordMethod, () => passwords.verify(credential?.hash, password, requester))
      if (attempt === undefined || user === undefined || credential === undefined) throw passwordErrors.error(wrong)
      return { user, attempt, credential }
    } catch (error) {
      if (error instanceof AppError) {
        const cause = user === undefined ? unknown : credential === undefined ? 'no-password' : 'wrong-password'
        const limit = wasOpened ? 'waiting' : 'network-limit'
        const reason = reasons[error.code] ?? (error.status === 429 ? limit : cause)
        fail(principal, error, { userId: user?.id, email: text, reason })
      }
      throw error
    }
  }

  /** `typed` is undefined if the text cannot be a mail address or user name of any account. */
  const requireEnabled = (principal: Principal, typed: string | undefined) => {
    if (config.emailPasswordEnabled) return
    const error = passwordErrors.error('EMAIL_AND_PASSWORD_IS_NOT_ENABLED')
    signInFailures?.record(principal, { method: 'password', reason: 'password-disabled', code: error.code, email: typed }, error)
    throw error
  }

  const signIn = async (principal: Principal, identifier: Identifier, input: Input): SignedIn => {
    const { user, attempt, credential } = await authenticate(principal, identifier, input.password)

    const decision = await attempts.decide(db, principal, attempt, user)
    if (decision.kind === 'refusal') {
      const error = attempts.errorOf(decision)
      const message =
        error.code === 'EMAIL_NOT_VERIFIED' && config.verificationMailEnabled
          ? await links.verificationMail(inLanguageOf(principal, user), accountMails.requesterOf(principal), input.callbackURL)
          : undefined
      await transact(async (tx) => {
        await attempts.succeed(tx, attempt)
        if (message !== undefined) await mail.enqueue(tx, message)
      })
      fail(principal, error, { userId: user.id, email: identifier.text, reason: reasons[error.code] ?? 'refused' })
      throw error
    }

    const { hash } = credential
    const rehashed = passwords.isOutdated(hash) ? await passwords.hash(input.password, requesterOf(principal, true)) : undefined
    const outcome = await transact(async (tx) => {
      // The password may have been changed after it was read. The old password must then sign nobody in.
      const locked = await credentials.lock(tx, user.id)
      if (locked?.hash !== hash) throw passwordErrors.error(identifier.wrong)
      if (rehashed !== undefined) await credentials.replace(tx, credential, rehashed)
      return attempts.conclude(tx, principal, attempt, { ...user, ...locked.owner }, { rememberMe: input.rememberMe ?? true })
    })
    return { user, outcome }
  }

  return {
    withEmail: async (principal, input) => {
      requireEnabled(principal, parseEmail(input.email))
      const text = users.requireEmail(input.email)
      return signIn(principal, { text, kind: 'email', wrong: 'INVALID_EMAIL_OR_PASSWORD', unknown: 'unknown-address' }, input)
    },
    withUsername: async (principal, { username, ...input }) => {
      users.names.requireOn()
      requireEnabled(principal, users.names.lookedFor(username))
      // Better Auth's plugin reports a missing field before a malformed name, and so does this code.
      if (username === '' || input.password === '') throw passwordErrors.error('INVALID_USERNAME_OR_PASSWORD')
      const text = users.names.require(username)
      return signIn(principal, { text, kind: 'username', wrong: 'INVALID_USERNAME_OR_PASSWORD', unknown: 'unknown-name' }, input)
    },
  }
}
