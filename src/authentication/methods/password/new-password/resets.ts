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

/** Sets new passwords with links. A link is mailed to the user, or an operator passes it on. */
export interface Resets {
  /** Requests a mail with a reset link. The answer does not reveal whether the mail address has an account. */
  requestReset(principal: Principal, email: string, redirectTo: string | undefined): Promise<void>
  /** Mails a reset link to a user without a password whom an operator has created. Throws RESET_PASSWORD_ISNT_ENABLED. */
  sendFirstLink(principal: PermittedPrincipal, user: User): Promise<void>
  /** Throws RESET_PASSWORD_ISNT_ENABLED if passwords cannot be reset on this server. */
  requireEnabled(): void
  /**
   * Checks that an operator may create a link for this user. Throws RESET_PASSWORD_ISNT_ENABLED. Throws RECOVERY_NEEDS_A_VERIFIED_ADDRESS
   * if the user's mail address is not verified: unlike a mailed link, a link from an operator cannot verify it.
   */
  requireLinkable(user: Pick<User, 'emailVerified'>): void
  /** True if the token of a link is valid. The link stays valid, because mail scanners open links too. */
  isResetTokenValid(token: string): Promise<boolean>
  /**
   * Returns the mail address of the account for which a reset link was made. If another person created the account, also returns what the
   * owner of the address would take over. Throws INVALID_TOKEN.
   */
  checkReset(
    principal: Principal,
    token: string,
  ): Promise<{ readonly email: string; readonly question: ResetQuestion | undefined }>
  /**
   * Sets the password with the token of a link. Ends all sessions, all other reset links and the tokens of applications. If the account's
   * mail address is not verified yet, the link verifies it, and the owner takes over the account or gets a new one
   * (docs/design/accounts.md#an-address-that-nobody-has-proven, `AddressClaims`). Returns the contents of an account that was taken over.
   */
  reset(
    principal: Principal,
    token: string | undefined,
    newPassword: string,
    wanted?: AddressClaim,
  ): Promise<Holdings | undefined>
  /**
   * Called when a person has proven the mail address of an account that has never verified an address. The person gets this account, or a
   * new account with the address (`AddressClaims`). The caller has locked the row of the user. Throws INVALID_TOKEN if neither is
   * possible.
   */
  claimAddress(tx: Tx, principal: Principal, user: User, hash: string, wanted?: AddressClaim): Promise<User>
  /**
   * Creates a link with which a user who cannot sign in sets a new password. An operator passes the link on. The link works once, and for
   * as long as a reset link. Its use ends sessions and locks. With `secondFactor` its use also removes second factors. Throws
   * USER_NOT_FOUND, BANNED_USER, RESET_PASSWORD_ISNT_ENABLED and RECOVERY_NEEDS_A_VERIFIED_ADDRESS.
   */
  createRecoveryLink(
    principal: PermittedPrincipal,
    idOrEmail: string,
    /** `check` throws if the principal may not create a link for this user. It is called while the user is locked. */
    options?: { readonly secondFactor?: boolean; readonly check?: (user: User, tx: Tx) => Promise<void> },
  ): Promise<RecoveryLink>
}

/** An account that another person has created with somebody's mail address. The owner of the address decides about it. */
export interface ResetQuestion extends Holdings {
  readonly email: string
  readonly createdAt: Date
  /**
   * True if the owner of the mail address may get a new account instead. It is false if nobody can sign up; the owner then takes over the
   * account.
   */
  readonly mayStartFresh: boolean
}

/** A link for setting a password. Only this result has the link, because the database stores only the hash of its token. */
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

  /** The user to whom a link for setting a password belongs, and the purpose of the link. The link stays valid. */
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

  /** True if the user has signed in to the account in this browser before. If so, whoever reads the mailbox has also created the account. */
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
      // The link is checked before the password is hashed, because hashing is expensive.
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
        // The link was mailed, so its reader has proven access to the mailbox.
        if (!user.emailVerified) {
          // A recovery link was not mailed, so it proves no access to a mailbox.
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
