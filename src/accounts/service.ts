import type { z } from 'zod'
import type { Caller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import type { Passwords } from '../core/crypto.ts'
import { afterCommit, type Db, lockRow, type Transact, type Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { AppError } from '../core/errors.ts'
import { requesterOf } from '../core/hash-queue.ts'
import { inLanguageOf, languageOfCall } from '../core/language.ts'
import { networkOf } from '../core/network.ts'
import type { SecurityLog } from '../core/security-log.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { FieldValues, User, Users } from '../users/index.ts'
import { askerOf } from './asker.ts'
import type { AccountsConfig } from './config.ts'
import type { SignInEmail, SignUpEmail } from './contract.ts'
import { requireEmail } from './email.ts'
import { accountErrors } from './errors.ts'
import { type Guessing, knownDevice, strangersTo } from './guessing/service.ts'
import { countNetwork, type NetworkLimit } from './network-limit.ts'
import type { Outbox } from './notices.ts'
import type { PasswordPolicy } from './password-policy.ts'
import * as store from './store.ts'
import type { Verification } from './verification.ts'

/** A user with, when one was begun, the session. */
export interface SignedIn {
  readonly user: User
  readonly started: StartedSession | undefined
}

export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly role: 'user' | 'admin'
  readonly emailVerified: boolean
  /** Checked by `users.fields`. */
  readonly fields?: FieldValues
}

/** A user checked and hashed, ready to be stored. */
export interface PreparedAccount {
  /** Stores it. Throws USER_ALREADY_EXISTS. */
  insert(tx: Tx): Promise<User>
}

export interface Accounts {
  signUp(caller: Caller, input: z.output<typeof SignUpEmail>): Promise<SignedIn>
  signIn(caller: Caller, input: z.output<typeof SignInEmail>): Promise<{ readonly user: User; readonly started: StartedSession }>
  /**
   * Checks and hashes a user whom an operator or the holder of a mailed link creates. Administrators may not have a common password.
   * Throws INVALID_EMAIL, what the password policy throws, and SERVICE_UNAVAILABLE when too many hashes wait.
   */
  prepare(caller: Caller, account: NewAccount): Promise<PreparedAccount>
  /** Lower-cased address. Throws INVALID_EMAIL. */
  requireEmail(address: string): string
  /** True when people make accounts with a password themselves; `isInvited`: also where strangers may not. */
  isSignUpOpen(isInvited: boolean): boolean
  /** Throws EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED. */
  requireSignUp(isInvited: boolean): void
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly security: SecurityLog
  readonly entropy: Entropy
  readonly passwords: Passwords
  readonly policy: PasswordPolicy
  readonly guessing: Guessing
  readonly users: Users
  readonly sessions: Sessions
  readonly mail: Outbox
  readonly verification: Verification
  readonly config: AccountsConfig
  /** For hashes that browsers ask for which the account does not know; undefined: no limit. */
  readonly limit: NetworkLimit | undefined
}

/** Stands for the user there is none of, so that as much is read. */
const nobody = 'nobody'

export const createAccounts = (deps: Deps): Accounts => {
  const {
    db,
    transact,
    security,
    clock,
    entropy,
    passwords,
    policy,
    guessing,
    users,
    sessions,
    mail,
    verification,
    config,
    limit,
  } = deps

  const insertAccount = async (tx: Tx, user: Parameters<Users['create']>[1], hash: string) => {
    const created = await users.create(tx, user)
    await store.insertCredential(tx, entropy.id(), created.id, hash, clock.now())
    return created
  }

  /** The user of address and password, or INVALID_EMAIL_OR_PASSWORD; as much work for an address that is nobody's. */
  const authenticate = async (caller: Caller, email: string, password: string) => {
    const deviceId = caller.deviceId?.()
    const user = await users.findByEmail(db, email)
    const credential = await store.findCredential(db, user?.id ?? nobody)
    const isKnown = await sessions.isKnownDevice(db, user?.id ?? nobody, deviceId)
    const subject =
      isKnown && user !== undefined && deviceId !== undefined
        ? knownDevice(user.id, deviceId)
        : strangersTo(email, networkOf(caller.address), user?.id ?? null)
    const hash = credential?.password ?? undefined
    try {
      if (!isKnown) await countNetwork(limit, 'passwords', caller)
      const matches = await guessing.check(subject, () => passwords.verify(hash, password, requesterOf(caller, isKnown)))
      if (!matches || user === undefined || credential === undefined || hash === undefined)
        throw accountErrors.refuse('INVALID_EMAIL_OR_PASSWORD')
      return { user, subject, credentialId: credential.id, hash }
    } catch (error) {
      if (error instanceof AppError) security(caller, 'sign-in.failed', { userId: user?.id ?? null, code: error.code })
      throw error
    }
  }

  const isSignUpOpen = (isInvited: boolean) => config.emailPasswordEnabled && (config.signUpEnabled || isInvited)
  const requireSignUp = (isInvited: boolean) => {
    if (!isSignUpOpen(isInvited)) throw accountErrors.refuse('EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED')
  }

  return {
    requireEmail,
    isSignUpOpen,
    requireSignUp,
    signUp: async (caller, input) => {
      requireSignUp(false)
      const { name, image, callbackURL } = input
      const email = requireEmail(input.email)
      policy.checkLength(input.password)
      const fields = users.fields.forSignUp(input)
      await countNetwork(limit, 'passwords', caller)
      const hash = await policy.hash(input.password, { name, email, role: 'user' }, requesterOf(caller, false))
      const begins = config.autoSignIn && !config.requireEmailVerification
      const isMailed = config.verificationMailEnabled && (config.requireEmailVerification || config.verifyOnSignUp)
      const id = entropy.id()
      const message = isMailed
        ? await verification.mailFor(
            { id, email, name, emailVersion: 0, language: languageOfCall(caller) },
            askerOf(caller),
            callbackURL,
          )
        : undefined
      return transact(async (tx) => {
        const user = await insertAccount(tx, { id, name, email, emailVerified: false, image, fields }, hash)
        if (message !== undefined) await mail.enqueue(tx, message)
        const options = { rememberMe: input.rememberMe ?? true, byPassword: true }
        const started = begins ? await sessions.start(tx, caller, user.id, options) : undefined
        // A link that verifies the address asks this browser for nothing.
        if (!begins) await sessions.rememberDevice(tx, user.id, caller)
        return { user, started }
      })
    },

    signIn: async (caller, input) => {
      if (!config.emailPasswordEnabled) throw accountErrors.refuse('EMAIL_AND_PASSWORD_IS_NOT_ENABLED')
      const { user, subject, credentialId, hash } = await authenticate(caller, requireEmail(input.email), input.password)
      if (config.requireEmailVerification && !user.emailVerified) {
        const message = config.verificationMailEnabled
          ? await verification.mailFor(inLanguageOf(caller, user), askerOf(caller), input.callbackURL)
          : undefined
        await transact(async (tx) => {
          await guessing.succeed(tx, subject)
          if (message !== undefined) await mail.enqueue(tx, message)
        })
        security(caller, 'sign-in.failed', { userId: user.id, code: 'EMAIL_NOT_VERIFIED' })
        throw accountErrors.refuse('EMAIL_NOT_VERIFIED')
      }
      const rehashed = passwords.isOutdated(hash) ? await passwords.hash(input.password, requesterOf(caller, true)) : undefined
      const started = await transact(async (tx) => {
        // A password changed since it was read lets nobody in: its sessions were ended a moment ago.
        await lockRow(tx, 'user', user.id)
        if ((await store.findCredential(tx, user.id))?.password !== hash) throw accountErrors.refuse('INVALID_EMAIL_OR_PASSWORD')
        if (rehashed !== undefined) await store.replaceHash(tx, credentialId, hash, rehashed, clock.now())
        await guessing.succeed(tx, subject)
        return sessions.start(tx, caller, user.id, { rememberMe: input.rememberMe ?? true, byPassword: true })
      })
      return { user, started }
    },

    prepare: async (caller, { name, email: address, password, role, emailVerified, fields }) => {
      const email = requireEmail(address)
      const hash = await policy.hash(password, { name, email, role }, requesterOf(caller, true))
      const insert = async (tx: Tx) => {
        const user = await insertAccount(tx, { name, email, emailVerified, role, fields }, hash)
        if (role !== 'user') afterCommit(tx, () => security(caller, 'role.changed', { userId: user.id, role }))
        return user
      }
      return { insert }
    },
  }
}
