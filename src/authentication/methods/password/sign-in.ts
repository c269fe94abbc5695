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
import type { AccountMails, SignedLinks } from '../../verification/index.ts'
import type { PasswordSettings } from './config.ts'
import type { SignInEmail } from './contract.ts'
import { passwordErrors } from './errors.ts'

export const passwordMethod: AuthenticationMethod = { name: 'password', amr: ['pwd'], factors: ['knowledge'] }

interface Deps extends Core {
  readonly passwords: Passwords
  readonly users: Users
  readonly credentials: Credentials
  readonly attempts: Attempts
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly links: SignedLinks
  readonly config: PasswordSettings
  /** Undefined where failed attempts are not kept. */
  readonly signInFailures?: SignInFailures
}

/** Looked up where an address has no account, so that as much is read as for one that has. */
const dummyUserId = 'nobody'

/** Why an attempt failed, by its error; others depend on what was found. */
const reasons: Readonly<Record<string, SignInFailure['reason']>> = {
  TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: 'locked',
  SERVICE_UNAVAILABLE: 'overloaded',
  BANNED_USER: 'banned',
  EMAIL_NOT_VERIFIED: 'email-not-verified',
}

type SignIn = (
  principal: Principal,
  input: z.output<typeof SignInEmail>,
) => Promise<{ readonly user: User; readonly outcome: Outcome }>

/**
 * Sign-in with email and password. Throws EMAIL_AND_PASSWORD_IS_NOT_ENABLED, INVALID_EMAIL, INVALID_EMAIL_OR_PASSWORD, what limits guessing,
 * BANNED_USER,
 * and EMAIL_NOT_VERIFIED after mailing a new link.
 */
export const createSignIn = (deps: Deps): SignIn => {
  const { db, transact, security, passwords, users, credentials, attempts, mail, accountMails, links, config, signInFailures } =
    deps

  /** Logs a failed attempt, and keeps it for those who help. */
  const fail = (principal: Principal, error: AppError, failure: Omit<SignInFailure, 'method' | 'code' | 'detail'>) => {
    security(principal, 'sign-in.failed', { userId: failure.userId ?? null, code: error.code })
    const detail = { seconds: error.retryAfterSeconds }
    signInFailures?.record(principal, { method: 'password', code: error.code, detail, ...failure }, error)
  }

  /** The user of address and password. An unknown address costs the same and gets the same error. */
  const authenticate = async (principal: Principal, email: string, password: string) => {
    const user = await users.findByEmail(db, email)
    const credential = await credentials.find(db, user?.id ?? dummyUserId)
    let wasOpened = false
    try {
      const opened = await attempts.openByAddress(principal, email, user?.id)
      wasOpened = true
      const requester = requesterOf(principal, opened.isTrusted)
      const attempt = await attempts.prove(opened, passwordMethod, () => passwords.verify(credential?.hash, password, requester))
      if (attempt === undefined || user === undefined || credential === undefined)
        throw passwordErrors.error('INVALID_EMAIL_OR_PASSWORD')
      return { user, attempt, credential }
    } catch (error) {
      if (error instanceof AppError) {
        const wrong = user === undefined ? 'unknown-address' : credential === undefined ? 'no-password' : 'wrong-password'
        const limit = wasOpened ? 'waiting' : 'network-limit'
        fail(principal, error, { userId: user?.id, email, reason: reasons[error.code] ?? (error.status === 429 ? limit : wrong) })
      }
      throw error
    }
  }

  return async (principal, input) => {
    if (!config.emailPasswordEnabled) {
      const error = passwordErrors.error('EMAIL_AND_PASSWORD_IS_NOT_ENABLED')
      signInFailures?.record(
        principal,
        { method: 'password', reason: 'password-disabled', code: error.code, email: parseEmail(input.email) },
        error,
      )
      throw error
    }
    const email = users.requireEmail(input.email)
    const { user, attempt, credential } = await authenticate(principal, email, input.password)

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
      fail(principal, error, { userId: user.id, email, reason: reasons[error.code] ?? 'refused' })
      throw error
    }

    const { hash } = credential
    const rehashed = passwords.isOutdated(hash) ? await passwords.hash(input.password, requesterOf(principal, true)) : undefined
    const outcome = await transact(async (tx) => {
      // A password that was changed after it was read signs nobody in: the change has ended all sessions.
      const locked = await credentials.lock(tx, user.id)
      if (locked?.hash !== hash) throw passwordErrors.error('INVALID_EMAIL_OR_PASSWORD')
      if (rehashed !== undefined) await credentials.replace(tx, credential, rehashed)
      return attempts.conclude(tx, principal, attempt, { ...user, ...locked.owner }, { rememberMe: input.rememberMe ?? true })
    })
    return { user, outcome }
  }
}
