import type { z } from 'zod'
import type { Caller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import type { Passwords, Secrets } from '../core/crypto.ts'
import type { Db, Transact, Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { parseEmail } from '../core/wire.ts'
import type { Mail } from '../mail/index.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { User, Users } from '../users/index.ts'
import { isCommonPassword } from './common-passwords.ts'
import type { AccountsConfig, PasswordConfig } from './config.ts'
import type { SignInEmail, SignUpEmail } from './contract.ts'
import { accountErrors } from './errors.ts'
import { verificationMail } from './mails.ts'
import { lengthProblem } from './rules.ts'
import * as store from './store.ts'
import { createVerificationTokens } from './verification-token.ts'

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
}

/** A user checked and hashed, ready to be stored. */
export interface PreparedAccount {
  /** Stores it. Throws USER_ALREADY_EXISTS. */
  insert(tx: Tx): Promise<User>
}

export interface Accounts {
  signUp(caller: Caller, input: z.output<typeof SignUpEmail>): Promise<SignedIn>
  signIn(caller: Caller, input: z.output<typeof SignInEmail>): Promise<{ readonly user: User; readonly started: StartedSession }>
  sendVerification(caller: Caller, email: string, callbackURL: string | undefined): Promise<void>
  /** Verifies the address a token names. `started` is set when the setting asks for a session. */
  verifyEmail(caller: Caller, token: string): Promise<SignedIn>
  /** Checks and hashes a user that an operator or the setup link creates. Administrators may not have a common password. */
  prepare(account: NewAccount): Promise<PreparedAccount>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly users: Users
  readonly sessions: Sessions
  readonly mail: Mail
  readonly url: string
  readonly accounts: AccountsConfig
  readonly password: PasswordConfig
}

const requireEmail = (text: string): string => {
  const email = parseEmail(text)
  if (email === undefined) throw accountErrors.refuse('INVALID_EMAIL')
  return email
}

export const createAccounts = (deps: Deps): Accounts => {
  const { db, transact, clock, entropy, secrets, passwords, users, sessions, mail, url, accounts: config } = deps
  const tokens = createVerificationTokens(secrets, clock, config.verificationTtlSeconds)

  const checkLength = (password: string) => {
    const problem = lengthProblem(password, deps.password)
    if (problem !== undefined) throw accountErrors.refuse(problem)
  }

  /** Makes the mail before the transaction: signing does not belong inside. */
  const verificationFor = async (user: Pick<User, 'id' | 'name' | 'email'>, callbackURL = '/') => {
    const token = await tokens.create({ userId: user.id, email: user.email })
    const link = `${url}/verify-email?token=${token}&callbackURL=${encodeURIComponent(callbackURL)}`
    return {
      to: { name: user.name, address: user.email },
      kind: 'verification',
      words: verificationMail(user.name, link, config.verificationTtlSeconds),
    }
  }

  const insertAccount = async (tx: Tx, user: Parameters<Users['create']>[1], hash: string) => {
    const created = await users.create(tx, user)
    await store.insertCredential(tx, entropy.id(), created.id, hash, clock.now())
    return created
  }

  return {
    signUp: async (caller, input) => {
      if (!config.emailPasswordEnabled || !config.signUpEnabled)
        throw accountErrors.refuse('EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED')
      const email = requireEmail(input.email)
      checkLength(input.password)
      const hash = await passwords.hash(input.password)
      const begins = config.autoSignIn && !config.requireEmailVerification
      const id = entropy.id()
      const verification = config.requireEmailVerification
        ? await verificationFor({ id, email, name: input.name }, input.callbackURL)
        : undefined
      return transact(async (tx) => {
        const user = await insertAccount(tx, { id, name: input.name, email, emailVerified: false, image: input.image }, hash)
        if (verification !== undefined) await mail.enqueue(tx, verification)
        const started = begins ? await sessions.start(tx, caller, user.id, { rememberMe: input.rememberMe ?? true }) : undefined
        return { user, started }
      })
    },

    signIn: async (caller, input) => {
      if (!config.emailPasswordEnabled) throw accountErrors.refuse('EMAIL_AND_PASSWORD_IS_NOT_ENABLED')
      const email = requireEmail(input.email)
      const user = await users.findByEmail(db, email)
      const credential = user === undefined ? undefined : await store.findCredential(db, user.id)
      const hash = credential?.password ?? undefined
      const matches = await passwords.verify(hash, input.password)
      if (!matches || user === undefined || credential === undefined || hash === undefined)
        throw accountErrors.refuse('INVALID_EMAIL_OR_PASSWORD')
      if (config.requireEmailVerification && !user.emailVerified) {
        const verification = await verificationFor(user, input.callbackURL)
        await transact((tx) => mail.enqueue(tx, verification))
        throw accountErrors.refuse('EMAIL_NOT_VERIFIED')
      }
      const fresh = passwords.isOutdated(hash) ? await passwords.hash(input.password) : undefined
      const started = await transact(async (tx) => {
        if (fresh !== undefined) await store.replaceHash(tx, credential.id, hash, fresh, clock.now())
        return sessions.start(tx, caller, user.id, { rememberMe: input.rememberMe ?? true })
      })
      return { user, started }
    },

    sendVerification: async (caller, address, callbackURL) => {
      const email = requireEmail(address)
      if (caller.kind === 'user') {
        if (caller.user.emailVerified) throw accountErrors.refuse('YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL')
        if (caller.user.email !== email) throw accountErrors.refuse('YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL')
      }
      const user = await users.findByEmail(db, email)
      if (user === undefined || user.emailVerified) return
      const verification = await verificationFor(user, callbackURL)
      await transact((tx) => mail.enqueue(tx, verification))
    },

    verifyEmail: async (caller, token) => {
      const claim = await tokens.read(token)
      if (typeof claim === 'string') throw accountErrors.refuse(claim)
      return transact(async (tx) => {
        const verified = await users.verifyEmail(tx, claim.userId, claim.email)
        const user = await users.find(tx, claim.userId)
        // The address has changed since, or the user is gone: the link proves nothing any more.
        if (user === undefined || user.email !== claim.email) throw accountErrors.refuse('INVALID_TOKEN')
        const started =
          verified && config.signInAfterVerification ? await sessions.start(tx, caller, user.id, { rememberMe: true }) : undefined
        return { user, started }
      })
    },

    prepare: async (account) => {
      const email = requireEmail(account.email)
      checkLength(account.password)
      if (account.role === 'admin' && (await isCommonPassword(account.password, [email, account.name])))
        throw accountErrors.refuse('PASSWORD_TOO_COMMON')
      const hash = await passwords.hash(account.password)
      const { name, role, emailVerified } = account
      return { insert: (tx) => insertAccount(tx, { name, email, emailVerified, role }, hash) }
    },
  }
}
