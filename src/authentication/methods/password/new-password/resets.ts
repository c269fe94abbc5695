import type { PermittedPrincipal, Principal } from '../../../../access/principal.ts'
import type { Core, Holdings } from '../../../../core/core.ts'
import { lockRow, type Tx } from '../../../../core/db/database.ts'
import { requesterOf } from '../../../../core/hash-queue.ts'
import { withQuery } from '../../../../core/web.ts'
import { nameFrom } from '../../../../core/wire.ts'
import type { User, Users } from '../../../../identity/users/index.ts'
import type { Attempts } from '../../../attempts/index.ts'
import type { SecondFactors } from '../../../second-factors/index.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { AddressClaim, AddressClaims, MailRequests, OneTimeTokens } from '../../../verification/index.ts'
import type { PasswordSettings } from '../config.ts'
import { passwordErrors, passwordEvents } from '../contract.ts'
import type { PasswordPolicy } from '../policy.ts'
import type { PasswordService } from './service.ts'

/** New passwords by links: mailed ones, and links that an operator passes on. */
export interface Resets {
  /** Requests a reset link. The answer is the same for unknown addresses. */
  requestReset(principal: Principal, email: string, redirectTo: string | undefined): Promise<void>
  /** Mails a reset link to a user without a password, for the operator who made the user. Throws RESET_PASSWORD_ISNT_ENABLED. */
  sendFirstLink(principal: PermittedPrincipal, user: User): Promise<void>
  /** Throws RESET_PASSWORD_ISNT_ENABLED. */
  requireEnabled(): void
  /**
   * Throws RESET_PASSWORD_ISNT_ENABLED and RECOVERY_NEEDS_A_VERIFIED_ADDRESS: the use of a link proves the mailbox, and an operator's
   * link does not come by mail.
   */
  requireLinkable(user: Pick<User, 'emailVerified'>): void
  /** Consumes nothing, because mail scanners open links, too. */
  isResetTokenValid(token: string): Promise<boolean>
  /**
   * The account whose password a reset would set, and the other things it would hand over; undefined for the caller's own account, or if
   * no account is handed over. Throws INVALID_TOKEN.
   */
  checkReset(
    principal: Principal,
    token: string,
  ): Promise<{ readonly email: string; readonly question: ResetQuestion | undefined }>
  /**
   * Sets the password with a reset token and ends all sessions, other reset links and tokens of applications. It also verifies an
   * unverified address: that of the account, which its creator loses, or that of a new account
   * (docs/design/accounts.md#an-address-that-nobody-has-proven, `AddressClaims`). Returns the contents of an account that was taken over.
   */
  reset(
    principal: Principal,
    token: string | undefined,
    newPassword: string,
    wanted?: AddressClaim,
  ): Promise<Holdings | undefined>
  /**
   * Claims an account for a person who has just proven its address, which the account never verified: that account, or a new one with the
   * address (`AddressClaims`). Throws INVALID_TOKEN if neither is possible. The user's row is locked.
   */
  claimAddress(tx: Tx, principal: Principal, user: User, hash: string, wanted?: AddressClaim): Promise<User>
  /**
   * A link that an operator passes on to a locked-out user for setting a new password: for one use, valid as long as a reset link. Its
   * use ends sessions and locks, and with `secondFactor` removes second factors. Throws USER_NOT_FOUND, BANNED_USER,
   * RESET_PASSWORD_ISNT_ENABLED and RECOVERY_NEEDS_A_VERIFIED_ADDRESS.
   */
  createRecoveryLink(
    principal: PermittedPrincipal,
    idOrEmail: string,
    /** `check` throws if the principal may not do this to the user, who is locked. */
    options?: { readonly secondFactor?: boolean; readonly check?: (user: User, tx: Tx) => Promise<void> },
  ): Promise<RecoveryLink>
}

/** An account that somebody made with an address before its owner came. */
export interface ResetQuestion extends Holdings {
  readonly email: string
  readonly createdAt: Date
  /** False if sign-up is closed: the owner of the address takes the account over. */
  readonly mayStartFresh: boolean
}

/** Returned only here: the hash of its token is stored. */
export interface RecoveryLink {
  readonly user: User
  readonly url: string
  readonly expiresAt: Date
}

interface Deps extends Core {
  readonly policy: PasswordPolicy
  readonly users: Users
  readonly sessions: Sessions
  readonly secondFactors: Pick<SecondFactors, 'removeAll'>
  readonly attempts: Attempts
  readonly tokens: OneTimeTokens
  readonly requests: MailRequests
  readonly addressClaims: AddressClaims
  readonly config: PasswordSettings
  readonly claim: PasswordService['claim']
  /** Sets the password and ends all sessions. */
  readonly setPassword: (tx: Tx, principal: Principal, user: User, hash: string) => Promise<void>
}

export const createResets = (deps: Deps): Resets => {
  const { db, transact, events, clock, policy, users, sessions, secondFactors, attempts } = deps
  const { tokens, requests, addressClaims, config, claim, setPassword } = deps
  const wrongToken = () => tokens.invalidToken('reset')

  /** The user of a link for setting a password, and whether it also removes second factors. Consumes nothing. */
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

  const requireLinkable: Resets['requireLinkable'] = ({ emailVerified }) => {
    requireEnabled()
    if (!emailVerified) throw passwordErrors.error('RECOVERY_NEEDS_A_VERIFIED_ADDRESS')
  }

  /** The browser has been signed in to the account: the reader of the mailbox created it. */
  const isOwnBrowser = ({ id }: User, principal: Principal) => sessions.isKnownDevice(db, id, principal.deviceId?.())

  const claimAddress: Resets['claimAddress'] = async (tx, principal, user, hash, wanted) => {
    const settled = await addressClaims.settle(tx, principal, user, {
      ...{ wanted, maySignUp: config.signUpEnabled },
      create: (email) =>
        users.create(tx, principal, { name: nameFrom(email.split('@')[0] ?? '') ?? email, email, emailVerified: false }),
    })
    if (settled === undefined) throw wrongToken()
    await claim(tx, principal, settled, hash)
    return settled
  }

  return {
    claimAddress,
    requestReset: async (principal, address, redirectTo) => {
      requireEnabled()
      await requests.request(principal, 'reset', users.requireEmail(address), redirectTo)
    },

    requireEnabled,
    requireLinkable,

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
      // Checked before the hash, so that requests without a link cost nothing.
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
        // The link was mailed to the address, so its reader has proven it.
        if (!user.emailVerified) {
          // This link was not mailed.
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

    createRecoveryLink: (principal, idOrEmail, { secondFactor = false, check } = {}) => {
      requireEnabled()
      return transact(async (tx) => {
        const { id } = await users.require(tx, idOrEmail)
        await lockRow(tx, 'user', id)
        const user = await users.require(tx, id)
        await check?.(user, tx)
        attempts.requireNotBanned(user)
        requireLinkable(user)
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
