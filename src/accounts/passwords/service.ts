import type { z } from 'zod'
import type { Caller, SystemCaller, UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { Passwords } from '../../core/crypto.ts'
import { afterCommit, type Db, lockRow, type Transact, type Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { coreErrors } from '../../core/errors.ts'
import { requesterOf } from '../../core/hash-queue.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { SecurityLog } from '../../core/security-log.ts'
import { nameFrom } from '../../core/wire.ts'
import type { Sessions, StartedSession } from '../../sessions/index.ts'
import type { User, Users } from '../../users/index.ts'
import { type RecoveryLinks, releasedAddress } from '../address-recovery/links.ts'
import type { AccountsConfig } from '../config.ts'
import { requireEmail } from '../email.ts'
import { accountErrors } from '../errors.ts'
import { type Guessing, signedIn } from '../guessing/service.ts'
import type { Notices, Outbox } from '../notices.ts'
import type { PasswordPolicy } from '../password-policy.ts'
import type { Answer, MailRequests } from '../requests/service.ts'
import { isFresh } from '../rules.ts'
import * as store from '../store.ts'
import type { TakeOver } from '../taking-over.ts'
import type { OneTimeTokens, Purpose } from '../tokens/service.ts'
import type { ChangePassword } from './contract.ts'

export interface PasswordCare {
  /** Asks for a reset link; whether the address is known stays untold. */
  requestReset(caller: Caller, email: string, redirectTo: string | undefined): Promise<void>
  /** Consumes nothing: mail scanners open links too. */
  isResetTokenGood(token: string): Promise<boolean>
  /**
   * Sets the password with a reset token; all sessions, other reset links and what applications hold end. An address that was not verified
   * is from then on, and nothing that was set up before it was stays a way in. While an earlier address can take the account back, such an
   * address gets an account of its own instead (decision 0103).
   */
  reset(caller: Caller, token: string | undefined, newPassword: string): Promise<void>
  /**
   * Gives an account with this password to the one who has proven its address, which is verified from then on: nothing that was set up
   * before stays a way in. The user's row is locked.
   */
  claim(tx: Tx, caller: Caller, user: User, hash: string): Promise<void>
  /** Replaces the password of the caller. A session is begun when all others were to end. Throws SESSION_IS_NOT_FRESH where that is asked for. */
  change(caller: UserCaller, input: z.output<typeof ChangePassword>): Promise<StartedSession | undefined>
  /**
   * Sets the password of a user, named by id or address, for an operator; ends their sessions. Throws USER_NOT_FOUND, and unless it may
   * replace one USER_ALREADY_HAS_A_PASSWORD.
   */
  set(caller: SystemCaller, idOrEmail: string, newPassword: string, options: { readonly replaces: boolean }): Promise<User>
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
  readonly notices: Notices
  readonly tokens: OneTimeTokens
  readonly requests: MailRequests
  readonly takeOver: TakeOver
  readonly recoveryLinks: Pick<RecoveryLinks, 'isOpen'>
  readonly config: AccountsConfig
  /** 0: sessions never grow stale. */
  readonly freshAgeSeconds: number
}

const resetPurpose = (ttlSeconds: number): Purpose => ({
  identifier: (hash) => `reset-password:${hash}`,
  length: 24,
  ttlSeconds,
})

/** The page on which a new password is typed. */
const resetPage = '/reset-password'

/** Makes the mail with a reset link. */
export const answerResetRequest =
  ({ tokens, mail, notices, config }: Pick<Deps, 'tokens' | 'mail' | 'notices' | 'config'>): Answer =>
  async (user, redirectTo = resetPage, asker) => {
    const ttlSeconds = config.resetTtlSeconds
    const purpose = resetPurpose(ttlSeconds)
    return async (tx) => {
      // Strangers may use up the share, but every link they ask for reaches the owner: only while one is good may another be left out.
      const isDue = user.emailVerified && !(await tokens.hasGood(tx, purpose, user.id))
      const token = await tokens.issue(tx, purpose, user)
      if (!(await mail.enqueue(tx, notices.resetPassword(user, token, redirectTo, ttlSeconds, { ...asker, isDue }))))
        await tokens.withdraw(tx, purpose, token)
    }
  }

const wrongToken = () => accountErrors.refuse('INVALID_TOKEN', { status: 400, message: 'invalid token' })

export const createPasswordCare = (deps: Deps): PasswordCare => {
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
    notices,
    tokens,
    requests,
  } = deps
  const { takeOver, recoveryLinks, config } = deps
  const purpose = resetPurpose(config.resetTtlSeconds)

  const requireEnabled = () => {
    if (!config.passwordResetEnabled) throw accountErrors.refuse('RESET_PASSWORD_ISNT_ENABLED')
  }

  /** What every new password brings with it, whoever set it. */
  const announce = async (tx: Tx, caller: Caller, user: Pick<User, 'id' | 'email' | 'name' | 'language'>) => {
    await guessing.forget(tx, user)
    await mail.enqueue(tx, notices.passwordChanged(inLanguageOf(caller, user)))
  }

  /** Gives the user this password, and a password account if there is none. */
  const overwrite = async (tx: Tx, caller: Caller, user: User, hash: string) => {
    if (!(await store.setHash(tx, user.id, hash, clock.now())))
      await store.insertCredential(tx, entropy.id(), user.id, hash, clock.now())
    await sessions.endAll(tx, user.id)
    // Among the browsers that signed in before may be the one the password was lost to.
    await sessions.forgetDevices(tx, user.id)
    await announce(tx, caller, user)
    afterCommit(tx, () => security(caller, 'password.reset', { userId: user.id }))
  }

  const claim: PasswordCare['claim'] = async (tx, caller, user, hash) => {
    await takeOver(tx, user)
    await overwrite(tx, caller, user, hash)
    await users.verifyEmail(tx, user.id, user)
    // Whoever reads the owner's mail is the owner: this browser is not slowed by what strangers guess.
    await sessions.rememberDevice(tx, user.id, caller)
  }

  /** Frees the address of an account that keeps everything else, for an account of whoever has the mailbox. */
  const startAnew = async (tx: Tx, user: User): Promise<User> => {
    if (!config.signUpEnabled) throw wrongToken()
    const { email } = user
    if ((await users.changeEmail(tx, user.id, user, releasedAddress(entropy))) !== 'changed') throw wrongToken()
    return users.create(tx, { name: nameFrom(email.split('@')[0] ?? '') ?? email, email, emailVerified: false })
  }

  return {
    claim,
    requestReset: async (caller, address, redirectTo) => {
      requireEnabled()
      await requests.ask(caller, 'reset', requireEmail(address), redirectTo)
    },

    isResetTokenGood: async (token) => (await tokens.check(db, purpose, token)) !== undefined,

    reset: async (caller, token, newPassword) => {
      requireEnabled()
      if (token === undefined || token === '') throw wrongToken()
      policy.checkLength(newPassword)
      // Asked before the password is hashed: a stranger without a link costs nothing.
      const holder = await tokens.check(db, purpose, token)
      if (holder === undefined) throw wrongToken()
      const hash = await policy.hash(newPassword, holder, requesterOf(caller, true))
      await transact(async (tx) => {
        await lockRow(tx, 'user', holder.id)
        const user = await tokens.consume(tx, purpose, token)
        if (user === undefined) throw wrongToken()
        // The link was mailed to the address: nobody had proven it before, now its owner has.
        if (!user.emailVerified) {
          const isContested = await recoveryLinks.isOpen(tx, user.id)
          return claim(tx, caller, isContested ? await startAnew(tx, user) : user, hash)
        }
        await overwrite(tx, caller, user, hash)
        await sessions.rememberDevice(tx, user.id, caller)
      })
    },

    change: async (caller, { newPassword, currentPassword, revokeOtherSessions }) => {
      const { user, session } = caller
      if (config.changePasswordNeedsFreshSession && !isFresh(session, clock.now(), deps.freshAgeSeconds))
        throw coreErrors.refuse('SESSION_IS_NOT_FRESH')
      policy.checkLength(newPassword)
      const credential = await store.findCredential(db, user.id)
      const hash = credential?.password ?? undefined
      if (credential === undefined || hash === undefined) throw accountErrors.refuse('CREDENTIAL_ACCOUNT_NOT_FOUND')
      if (!(await guessing.check(signedIn(session), () => passwords.verify(hash, currentPassword, requesterOf(caller, true)))))
        throw accountErrors.refuse('INVALID_PASSWORD')
      const newHash = await policy.hash(newPassword, user, requesterOf(caller, true))
      return transact(async (tx) => {
        await lockRow(tx, 'user', user.id)
        if (!(await store.replaceHash(tx, credential.id, hash, newHash, clock.now())))
          throw accountErrors.refuse('INVALID_PASSWORD')
        await announce(tx, caller, user)
        afterCommit(tx, () => security(caller, 'password.changed', { userId: user.id }))
        if (revokeOtherSessions !== true) return undefined
        await sessions.endAll(tx, user.id)
        await sessions.forgetDevices(tx, user.id)
        return sessions.start(tx, caller, user.id, { rememberMe: session.rememberMe, byPassword: true })
      })
    },

    set: async (caller, idOrEmail, newPassword, { replaces }) => {
      const user = await users.require(db, idOrEmail)
      const hash = await policy.hash(newPassword, user, requesterOf(caller, true))
      return transact(async (tx) => {
        await lockRow(tx, 'user', user.id)
        const credential = await store.findCredential(tx, user.id)
        if (!replaces && (credential?.password ?? null) !== null) throw accountErrors.refuse('USER_ALREADY_HAS_A_PASSWORD')
        await overwrite(tx, caller, user, hash)
        return user
      })
    },
  }
}
