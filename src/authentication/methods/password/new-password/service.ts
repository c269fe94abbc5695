import type { z } from 'zod'
import { isFresh, type PermittedPrincipal, type Principal, type UserPrincipal } from '../../../../access/principal.ts'
import type { RequireProof } from '../../../../access/proof.ts'
import type { Core, Holdings } from '../../../../core/core.ts'
import type { Passwords } from '../../../../core/crypto.ts'
import { afterCommit, lockRow, type Tx } from '../../../../core/db/database.ts'
import { coreErrors } from '../../../../core/errors.ts'
import { requesterOf } from '../../../../core/hash-queue.ts'
import { inLanguageOf } from '../../../../core/language.ts'
import { withQuery } from '../../../../core/web.ts'
import { nameFrom } from '../../../../core/wire.ts'
import type { Credentials, Identity } from '../../../../identity/identities/index.ts'
import type { User, Users } from '../../../../identity/users/index.ts'
import type { Mail } from '../../../../mail/index.ts'
import type { Attempts, Outcome } from '../../../attempts/index.ts'
import type { SecondFactors } from '../../../second-factors/index.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type {
  AccountMails,
  AddressClaim,
  AddressClaims,
  ClaimAccount,
  MailRequests,
  Notices,
  OneTimeTokens,
} from '../../../verification/index.ts'
import type { PasswordSettings } from '../config.ts'
import { passwordErrors } from '../errors.ts'
import { passwordEvents } from '../events.ts'
import type { PasswordPolicy } from '../policy.ts'
import { passwordMethod } from '../sign-in.ts'
import type { ChangePassword } from './contract.ts'

export interface PasswordService {
  /** Requests a reset link. The answer is the same for unknown addresses. */
  requestReset(principal: Principal, email: string, redirectTo: string | undefined): Promise<void>
  /** Mails a reset link to a user without a password, for an operator who made them. Throws RESET_PASSWORD_ISNT_ENABLED. */
  sendFirstLink(principal: PermittedPrincipal, user: User): Promise<void>
  /** Throws RESET_PASSWORD_ISNT_ENABLED. */
  requireEnabled(): void
  /** Consumes nothing, because mail scanners open links too. */
  isResetTokenValid(token: string): Promise<boolean>
  /**
   * Whose password a reset would set, and what it would hand over besides; undefined: the account is the caller's, or none that is handed over.
   * Throws INVALID_TOKEN.
   */
  checkReset(
    principal: Principal,
    token: string,
  ): Promise<{ readonly email: string; readonly question: ResetQuestion | undefined }>
  /**
   * Sets the password with a reset token and ends all sessions, other reset links and tokens of applications. It verifies an unverified
   * address: of the account, which whoever made it loses, or of a new one (decision 0103, `AddressClaims`). What an account has that was taken over.
   */
  reset(
    principal: Principal,
    token: string | undefined,
    newPassword: string,
    wanted?: AddressClaim,
  ): Promise<Holdings | undefined>
  /**
   * Claims an account for the owner of its address, who sets this password: the address is verified, and no earlier sign-in method, session or
   * token is left, but the identities at providers that `keeps` says yes to. Without a password where passwords do not sign in. The user's row is locked.
   */
  claim(
    tx: Tx,
    principal: Principal,
    user: User,
    hash: string | undefined,
    keeps?: (identity: Identity) => boolean,
  ): Promise<void>
  /**
   * The same for whoever has just proven the address of an account that never had: that account, or a new one with the address
   * (`AddressClaims`). Throws INVALID_TOKEN where neither is possible. The user's row is locked.
   */
  claimAddress(tx: Tx, principal: Principal, user: User, hash: string, wanted?: AddressClaim): Promise<User>
  /** Replaces the password of the caller. A new session starts when all others end. Throws SESSION_IS_NOT_FRESH where that is configured, or they need a second factor. */
  change(principal: UserPrincipal, input: z.output<typeof ChangePassword>): Promise<Outcome | undefined>
  /**
   * Asks a signed-in user for the password again; wrong ones are counted for the session. Throws CREDENTIAL_ACCOUNT_NOT_FOUND,
   * INVALID_PASSWORD and what limits guessing.
   */
  confirm(principal: UserPrincipal, password: string): Promise<void>
  /** Adds a right password to the proofs of the caller's session, which goes on with another token. Throws as `confirm`. */
  prove(principal: UserPrincipal, password: string): Promise<Outcome>
  /**
   * Sets the password of a user, named by id or address, for an operator; ends their sessions. Throws USER_NOT_FOUND, and
   * USER_ALREADY_HAS_A_PASSWORD unless it may replace one.
   */
  set(
    principal: PermittedPrincipal,
    idOrEmail: string,
    newPassword: string,
    /** `check` throws where the principal may not do this to the user: before the password is hashed, and with `tx` again, the user locked. */
    options: { readonly replaces: boolean; readonly check?: (user: User, tx?: Tx) => Promise<void> },
  ): Promise<User>
  /**
   * A link for an operator to hand over, with which a locked-out user sets a new password: for one use, as long as a reset link is valid. Using
   * it ends sessions and locks, and with `secondFactor` removes their second factors, else they stay. Throws USER_NOT_FOUND, BANNED_USER, RESET_PASSWORD_ISNT_ENABLED and RECOVERY_NEEDS_A_VERIFIED_ADDRESS.
   */
  createRecoveryLink(
    principal: PermittedPrincipal,
    idOrEmail: string,
    options?: { readonly secondFactor?: boolean },
  ): Promise<RecoveryLink>
}

/** An account that somebody made with an address before its owner came. */
export interface ResetQuestion extends Holdings {
  readonly email: string
  readonly createdAt: Date
  /** Nobody signs up here: the owner of the address takes it over. */
  readonly mayStartFresh: boolean
}

/** Shown once: only the hash of its token is stored. */
export interface RecoveryLink {
  readonly user: User
  readonly url: string
  readonly expiresAt: Date
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
  /** 0: sessions are always fresh. */
  readonly freshAgeSeconds: number
}

export const createPasswordService = (deps: Deps): PasswordService => {
  const { db, transact, security, events, clock, passwords, policy, users, credentials, sessions, attempts } = deps
  const { secondFactors, notices, accountMails, tokens, requests, claimAccount, addressClaims, config } = deps
  const wrongToken = () => tokens.invalidToken('reset')

  /** The user of a link that sets a password, and whether it also removes the second factors. Consumes nothing. */
  const holderOf = async (token: string) => {
    for (const purpose of ['reset', 'recovery'] as const) {
      const user = await tokens.check(db, purpose, token)
      if (user !== undefined) return { user, purpose }
    }
    return undefined
  }

  const requireEnabled = () => {
    if (!config.passwordResetEnabled) throw passwordErrors.error('RESET_PASSWORD_ISNT_ENABLED')
  }

  /** What follows every new password: the wrong ones no longer count, and the owner gets a mail. */
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
    // One of the browsers that signed in before may belong to the thief of the password.
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
    // The reader of the mailbox is the owner: wrong passwords of untrusted clients do not slow down this browser.
    await sessions.rememberDevice(tx, user.id, principal)
  }

  /** The browser has been signed in to the account: whoever reads the mailbox there has made it. */
  const isOwnBrowser = ({ id }: User, principal: Principal) => sessions.isKnownDevice(db, id, principal.deviceId?.())

  const claimAddress: PasswordService['claimAddress'] = async (tx, principal, user, hash, wanted) => {
    const settled = await addressClaims.settle(tx, principal, user, {
      ...{ wanted, maySignUp: config.signUpEnabled },
      create: (email) =>
        users.create(tx, principal, { name: nameFrom(email.split('@')[0] ?? '') ?? email, email, emailVerified: false }),
    })
    if (settled === undefined) throw wrongToken()
    await claim(tx, principal, settled, hash)
    return settled
  }

  /** The password of a signed-in user, asked for again. */
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
    claim,
    claimAddress,
    requestReset: async (principal, address, redirectTo) => {
      requireEnabled()
      await requests.request(principal, 'reset', users.requireEmail(address), redirectTo)
    },

    requireEnabled,

    sendFirstLink: async (principal, user) => {
      requireEnabled()
      await requests.send(principal, 'reset', user)
    },

    isResetTokenValid: async (token) => (await holderOf(token)) !== undefined,

    checkReset: async (principal, token) => {
      requireEnabled()
      const user = (await holderOf(token))?.user
      if (user === undefined) throw wrongToken()
      const { email, createdAt, emailVerified } = user
      if (emailVerified || addressClaims.isOthers(user) || (await isOwnBrowser(user, principal)))
        return { email, question: undefined }
      const holdings = await addressClaims.holdingsOf(db, user.id)
      return { email, question: { email, createdAt, mayStartFresh: config.signUpEnabled, ...holdings } }
    },

    reset: async (principal, token, newPassword, wanted) => {
      requireEnabled()
      if (token === undefined || token === '') throw wrongToken()
      policy.checkLength(newPassword)
      // Checked before the password is hashed, so that requests without a link cost nothing.
      const found = await holderOf(token)
      if (found === undefined) throw wrongToken()
      const { user: holder, purpose } = found
      attempts.requireNotBanned(holder)
      const hash = await policy.hash(newPassword, holder, requesterOf(principal, true))
      const answer = (await isOwnBrowser(holder, principal)) ? 'take-over' : wanted
      return transact(async (tx) => {
        await lockRow(tx, 'user', holder.id)
        const user = await tokens.consume(tx, purpose, token)
        if (user === undefined) throw wrongToken()
        attempts.requireNotBanned(user)
        // The link was mailed to the address, so its owner has now proven it.
        if (!user.emailVerified) {
          // This one was not mailed.
          if (purpose === 'recovery') throw wrongToken()
          const { id } = await claimAddress(tx, principal, user, hash, answer)
          return id === user.id ? addressClaims.holdingsOf(tx, id) : undefined
        }
        await setPassword(tx, principal, user, hash)
        if (purpose === 'recovery') await secondFactors.removeAll(tx, principal, user.id)
        await sessions.rememberDevice(tx, user.id, principal)
        return undefined
      })
    },

    change: async (principal, { newPassword, currentPassword, revokeOtherSessions }) => {
      const { user, session } = principal
      if (config.changePasswordNeedsFreshSession && !isFresh(session, clock.now(), deps.freshAgeSeconds))
        throw coreErrors.error('SESSION_IS_NOT_FRESH')
      // A password that was stolen with the session must not pass where the second factor was given long ago.
      await deps.requireProof(principal, 'change-password', { isPasswordChecked: true })
      policy.checkLength(newPassword)
      const { credential, attempt } = await proveAgain(principal, currentPassword)
      const newHash = await policy.hash(newPassword, user, requesterOf(principal, true))
      return transact(async (tx) => {
        // Its session ended meanwhile, for example because the second step was switched on: another one would pass by that.
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
        // A person may also set their first one by themselves.
        await setPassword(tx, principal, user, hash, principal.kind !== 'user' || principal.user.id !== user.id)
        return user
      })
    },

    createRecoveryLink: (principal, idOrEmail, { secondFactor = false } = {}) => {
      requireEnabled()
      return transact(async (tx) => {
        const { id } = await users.require(tx, idOrEmail)
        await lockRow(tx, 'user', id)
        const user = await users.require(tx, id)
        attempts.requireNotBanned(user)
        // The link proves a mailbox when it is used, and this one did not come by mail.
        if (!user.emailVerified) throw passwordErrors.error('RECOVERY_NEEDS_A_VERIFIED_ADDRESS')
        const purpose = secondFactor ? 'recovery' : 'reset'
        const token = await tokens.issue(tx, purpose, user)
        const expiresAt = clock.after(tokens.ttlSeconds[purpose])
        const data = { expiresAt: expiresAt.toISOString(), ...(secondFactor ? { removesSecondFactors: true } : {}) }
        await events.record(tx, principal, passwordEvents['user.recovery_link_created'], { subject: user.id, data })
        return { user, url: withQuery(`${deps.url}/reset-password`, { token }), expiresAt }
      })
    },
  }
}
