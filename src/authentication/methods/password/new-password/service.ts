import type { z } from 'zod'
import { isFresh, type PermittedPrincipal, type Principal, type UserPrincipal } from '../../../../access/principal.ts'
import type { RequireProof } from '../../../../access/proof.ts'
import type { Core } from '../../../../core/core.ts'
import type { Passwords } from '../../../../core/crypto.ts'
import { afterCommit, lockRow, type Tx } from '../../../../core/db/database.ts'
import { coreErrors } from '../../../../core/errors.ts'
import { requesterOf } from '../../../../core/hash-queue.ts'
import { inLanguageOf } from '../../../../core/language.ts'
import type { Credentials, Identity } from '../../../../identity/identities/index.ts'
import type { User, Users } from '../../../../identity/users/index.ts'
import type { Mail } from '../../../../mail/index.ts'
import type { Attempts, Outcome } from '../../../attempts/index.ts'
import type { SecondFactors } from '../../../second-factors/index.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type {
  AccountMails,
  AddressClaims,
  ClaimAccount,
  MailRequests,
  Notices,
  OneTimeTokens,
} from '../../../verification/index.ts'
import type { PasswordSettings } from '../config.ts'
import { passwordErrors, passwordEvents } from '../contract.ts'
import type { PasswordPolicy } from '../policy.ts'
import { passwordMethod } from '../sign-in.ts'
import type { ChangePassword } from './contract.ts'
import { createResets, type Resets } from './resets.ts'

/** Sets, changes and checks the passwords of accounts. */
export interface PasswordService extends Resets {
  /**
   * Gives an account to the owner of its mail address: verifies the address, sets the password, and deletes all earlier sign-in methods,
   * sessions and tokens. Identities for which `keeps` returns true stay. `hash` is undefined if passwords cannot sign in. The caller has
   * locked the row of the user.
   */
  claim(
    tx: Tx,
    principal: Principal,
    user: User,
    hash: string | undefined,
    keeps?: (identity: Identity) => boolean,
  ): Promise<void>
  /**
   * Changes the password of the caller. If all other sessions are to end, the caller gets a new session. Throws SESSION_IS_NOT_FRESH if
   * the session is not fresh, and the configuration or a second factor requires a fresh session.
   */
  change(principal: UserPrincipal, input: z.output<typeof ChangePassword>): Promise<Outcome | undefined>
  /**
   * Checks whether a signed-in user knows the password. Wrong passwords are counted for the session. Throws CREDENTIAL_ACCOUNT_NOT_FOUND,
   * INVALID_PASSWORD and the errors of throttling.
   */
  confirm(principal: UserPrincipal, password: string): Promise<void>
  /** Adds a correct password to the proofs of the caller's session. The session gets a new token. Throws the errors of `confirm`. */
  prove(principal: UserPrincipal, password: string): Promise<Outcome>
  /**
   * Sets the password of a user for an operator, and ends the user's sessions. Throws USER_NOT_FOUND. Throws USER_ALREADY_HAS_A_PASSWORD,
   * except with `replaces`.
   */
  set(
    principal: PermittedPrincipal,
    idOrEmail: string,
    newPassword: string,
    /**
     * `check` throws if the principal may not set this user's password. It is called before hashing, and again with `tx` while the user
     * is locked.
     */
    options: { readonly replaces: boolean; readonly check?: (user: User, tx?: Tx) => Promise<void> },
  ): Promise<User>
}

interface Deps extends Core {
  readonly passwords: Passwords
  readonly policy: PasswordPolicy
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly secondFactors: Pick<SecondFactors, 'removeAll'>
  readonly requireProof: RequireProof
  readonly attempts: Attempts
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly tokens: OneTimeTokens
  readonly requests: MailRequests
  readonly claimAccount: ClaimAccount
  readonly addressClaims: AddressClaims
  readonly notices: Notices
  readonly config: PasswordSettings
  /** Seconds for which a session counts as fresh. With 0 every session counts as fresh. */
  readonly freshAgeSeconds: number
}

export const createPasswordService = (deps: Deps): PasswordService => {
  const { db, transact, security, events, clock, passwords, policy, users, credentials, sessions, attempts } = deps
  const { notices, accountMails, claimAccount, config } = deps

  /** Called after every new password: deletes the counters of wrong passwords, and notifies the owner by mail. */
  const onPasswordSet = async (tx: Tx, principal: Principal, user: Pick<User, 'id' | 'email'>, isByAdministrator = false) => {
    await attempts.forgetFailures(tx, user)
    const current = inLanguageOf(principal, await users.require(tx, user.id))
    const who = isByAdministrator ? { isByAdministrator } : { place: sessions.placeOf(principal) }
    await notices.send(tx, current, (link) => accountMails.passwordChanged(current, { at: clock.now(), ...who }, link))
  }

  /** Sets the password and ends all sessions. */
  const setPassword = async (tx: Tx, principal: Principal, user: User, hash: string, isByAdministrator = false) => {
    await credentials.set(tx, user.id, hash)
    await sessions.endAll(tx, principal, user.id)
    // A browser that the account knows may belong to a thief of the old password.
    await sessions.forgetDevices(tx, user.id)
    await onPasswordSet(tx, principal, user, isByAdministrator)
    await events.record(tx, principal, passwordEvents['user.password_reset'], { subject: user.id, data: {} })
    afterCommit(tx, () => security(principal, 'password.reset', { userId: user.id }))
  }

  const claim: PasswordService['claim'] = async (tx, principal, user, hash, keeps) => {
    attempts.requireNotBanned(user)
    await claimAccount(tx, principal, user, keeps)
    if (hash !== undefined) await setPassword(tx, principal, user, hash)
    await users.verifyEmail(tx, principal, user.id, user)
    // Whoever reads the mailbox is the owner. This browser becomes known to the account, so that wrong passwords of untrusted clients do
    // not slow it down.
    await sessions.rememberDevice(tx, user.id, principal)
  }

  /** Checks the password of a signed-in user again. */
  const proveAgain = async (principal: UserPrincipal, password: string) => {
    const credential = await credentials.find(db, principal.user.id)
    if (credential === undefined) throw passwordErrors.error('CREDENTIAL_ACCOUNT_NOT_FOUND')
    const attempt = await attempts.prove(await attempts.openBySession(principal), passwordMethod, () =>
      passwords.verify(credential.hash, password, requesterOf(principal, true)),
    )
    if (attempt === undefined) throw passwordErrors.error('INVALID_PASSWORD')
    return { credential, attempt }
  }

  return {
    ...createResets({ ...deps, claim, setPassword }),
    claim,
    change: async (principal, { newPassword, currentPassword, revokeOtherSessions }) => {
      const { user, session } = principal
      if (config.changePasswordNeedsFreshSession && !isFresh(session, clock.now(), deps.freshAgeSeconds))
        throw coreErrors.error('SESSION_IS_NOT_FRESH')
      // A thief who has the session and knows the password must not be able to change the password. A second factor that was given long
      // ago is therefore not enough.
      await deps.requireProof(principal, 'change-password', { isPasswordChecked: true })
      policy.checkLength(newPassword)
      const { credential, attempt } = await proveAgain(principal, currentPassword)
      const newHash = await policy.hash(newPassword, user, requesterOf(principal, true))
      return transact(async (tx) => {
        // The session may have ended meanwhile, for example because the user has switched on two-step verification. A new session would
        // then bypass the second factor.
        await sessions.requireAlive(tx, principal)
        if (!(await credentials.replace(tx, credential, newHash))) throw passwordErrors.error('INVALID_PASSWORD')
        await onPasswordSet(tx, principal, user)
        const data = { areOtherSessionsEnded: revokeOtherSessions === true }
        await events.record(tx, principal, passwordEvents['user.password_changed'], { subject: user.id, data })
        afterCommit(tx, () => security(principal, 'password.changed', { userId: user.id }))
        if (revokeOtherSessions !== true) return undefined
        await sessions.endAll(tx, principal, user.id)
        await sessions.forgetDevices(tx, user.id)
        const current = await users.require(tx, user.id)
        return attempts.conclude(tx, principal, attempt, current, { rememberMe: session.rememberMe })
      })
    },

    prove: async (principal, password) => {
      const { attempt } = await proveAgain(principal, password)
      return transact(async (tx) => {
        await lockRow(tx, 'user', principal.user.id)
        const user = await users.require(tx, principal.user.id)
        const { id: sessionId, rememberMe } = principal.session
        return attempts.conclude(tx, principal, { ...attempt, sessionId }, user, { rememberMe })
      })
    },

    confirm: async (principal, password) => {
      const { attempt } = await proveAgain(principal, password)
      await transact((tx) => attempts.succeed(tx, attempt))
    },

    set: async (principal, idOrEmail, newPassword, { replaces, check }) => {
      const found = await users.require(db, idOrEmail)
      await check?.(found)
      const hash = await policy.hash(newPassword, found, requesterOf(principal, true))
      return transact(async (tx) => {
        await lockRow(tx, 'user', found.id)
        const user = await users.require(tx, found.id)
        await check?.(user, tx)
        if (!replaces && (await credentials.find(tx, user.id)) !== undefined)
          throw passwordErrors.error('USER_ALREADY_HAS_A_PASSWORD')
        // Administrators may use this call to set their own first password. The mail then does not say that an administrator did it.
        await setPassword(tx, principal, user, hash, principal.kind !== 'user' || principal.user.id !== user.id)
        return user
      })
    },
  }
}
