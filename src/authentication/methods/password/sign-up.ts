import type { z } from 'zod'
import type { Principal } from '../../../access/principal.ts'
import { defaultRole } from '../../../access/roles.ts'
import type { Core } from '../../../core/core.ts'
import { afterCommit, type Tx } from '../../../core/db/database.ts'
import { requesterOf } from '../../../core/hash-queue.ts'
import { languageOfCall } from '../../../core/language.ts'
import type { Credentials } from '../../../identity/identities/index.ts'
import type { RoleDirectory } from '../../../identity/roles/index.ts'
import type { FieldValues, StoredName, User, Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts, Proof } from '../../attempts/index.ts'
import type { Sessions, StartedSession } from '../../sessions/index.ts'
import type { AccountMails, SignedLinks } from '../../verification/index.ts'
import type { PasswordSettings } from './config.ts'
import type { SignUpEmail } from './contract.ts'
import { passwordErrors } from './contract.ts'
import type { PasswordPolicy } from './policy.ts'
import { passwordMethod } from './sign-in.ts'

export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  /** A role of the instance, or several roles separated by commas. */
  readonly role: string
  readonly emailVerified: boolean
  /** The person's additional fields. `users.fields` has checked them. */
  readonly fields?: FieldValues
  /** The user name and its displayed form. `users.names` has checked them. */
  readonly names?: StoredName
}

/** A user whose data were checked and whose password was hashed. The user can now be stored. */
export interface PreparedAccount {
  /** Stores the user. Returns the user, and the password as a proof for a session. Throws USER_ALREADY_EXISTS and USERNAME_IS_ALREADY_TAKEN. */
  insert(tx: Tx): Promise<{ readonly user: User; readonly proof: Proof }>
}

/** Creates accounts with a password. */
export interface SignUp {
  /** Creates an account for the caller. A session starts if the configuration and the sign-in policy allow it. */
  signUp(
    principal: Principal,
    input: z.output<typeof SignUpEmail>,
  ): Promise<{ readonly user: User; readonly started: StartedSession | undefined }>
  /**
   * Checks the data of an account and hashes its password, for an account that an operator or the reader of a mailed link creates.
   * Administrators may not have a common password. Throws INVALID_EMAIL, ROLE_IS_NOT_KNOWN and the errors of the password policy. Throws
   * SERVICE_UNAVAILABLE if too many passwords wait to be hashed.
   */
  prepare(principal: Principal, account: NewAccount): Promise<PreparedAccount>
  /**
   * True if people can sign up with a password. With `isInvited`, true if people with an invitation can; they may be able to when other
   * people are not.
   */
  isSignUpOpen(isInvited: boolean): boolean
  /** Throws EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED if `isSignUpOpen` is false. */
  requireSignUp(isInvited: boolean): void
}

interface Deps extends Core {
  readonly policy: PasswordPolicy
  readonly instanceRoles: Pick<RoleDirectory, 'parseRoles'>
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Pick<Sessions, 'rememberDevice'>
  readonly attempts: Attempts
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly links: SignedLinks
  readonly config: PasswordSettings
}

export const createSignUp = (deps: Deps): SignUp => {
  const { db, transact, security, random, policy, users, credentials, sessions, attempts, mail, accountMails, links, config } =
    deps

  const insertAccount = async (tx: Tx, principal: Principal, account: Parameters<Users['create']>[2], hash: string) => {
    const user = await users.create(tx, principal, account)
    await credentials.insert(tx, user.id, hash)
    return { user, proof: attempts.proof(passwordMethod, user.id) }
  }

  const isSignUpOpen = (isInvited: boolean) => config.emailPasswordEnabled && (config.signUpEnabled || isInvited)
  const requireSignUp = (isInvited: boolean) => {
    if (!isSignUpOpen(isInvited)) throw passwordErrors.error('EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED')
  }

  return {
    isSignUpOpen,
    requireSignUp,
    signUp: async (principal, input) => {
      requireSignUp(false)
      const { name, image, callbackURL } = input
      const email = users.requireEmail(input.email)
      policy.checkLength(input.password)
      const fields = users.fields.forSignUp(input)
      const names = users.names.forSignUp(input)
      // The user name is checked before the password is hashed, to save work. Whether the name is free is decided by the unique index
      // when the user is stored.
      if (names.username !== null && (await users.findByName(db, names.username)) !== undefined) throw users.names.taken()
      await attempts.limitNetwork('passwords', principal)
      const hash = await policy.hash(
        input.password,
        { name, email, role: defaultRole, username: names.username },
        requesterOf(principal, false),
      )
      const isMailed = config.verificationMailEnabled && (config.requireEmailVerification || config.verifyOnSignUp)
      const account = { id: random.id(), name, email, emailVerified: false, image, fields, names }
      const addressee = { ...account, emailVersion: 0, language: languageOfCall(principal) }
      const message = isMailed
        ? await links.verificationMail(addressee, accountMails.requesterOf(principal), callbackURL)
        : undefined
      return transact(async (tx) => {
        const { user, proof } = await insertAccount(tx, principal, account, hash)
        if (message !== undefined) await mail.enqueue(tx, message)
        // If the mail address has to be verified first, no session starts. The sign-up succeeds all the same.
        const maySignIn = config.autoSignIn && !config.requireEmailVerification
        const started = maySignIn
          ? await attempts.startIfEnough(tx, principal, user, [proof], { rememberMe: input.rememberMe ?? true })
          : undefined
        // The browser becomes known to the account. A verification link needs no further proof in a browser that the account knows.
        if (started === undefined) await sessions.rememberDevice(tx, user.id, principal)
        return { user, started }
      })
    },

    prepare: async (principal, { name, email: address, password, role: given, emailVerified, fields, names }) => {
      const email = users.requireEmail(address)
      const role = deps.instanceRoles.parseRoles(given)
      const hash = await policy.hash(password, { name, email, role, username: names?.username }, requesterOf(principal, true))
      const insert = async (tx: Tx) => {
        const inserted = await insertAccount(tx, principal, { name, email, emailVerified, role, fields, names }, hash)
        if (role !== defaultRole) afterCommit(tx, () => security(principal, 'role.changed', { userId: inserted.user.id, role }))
        return inserted
      }
      return { insert }
    },
  }
}
