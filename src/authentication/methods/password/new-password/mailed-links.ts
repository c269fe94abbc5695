import type { z } from 'zod'
import type { Principal } from '../../../../access/principal.ts'
import type { Core } from '../../../../core/core.ts'
import type { Passwords } from '../../../../core/crypto.ts'
import { lockRow } from '../../../../core/db/database.ts'
import { coreErrors } from '../../../../core/errors.ts'
import { requesterOf } from '../../../../core/hash-queue.ts'
import type { Credentials, Identity } from '../../../../identity/identities/index.ts'
import type { User, Users } from '../../../../identity/users/index.ts'
import type { Attempts, Proof } from '../../../attempts/index.ts'
import type { AddressRecovery, Notices, Verification, Verified, WayIn } from '../../../verification/index.ts'
import type { PasswordSettings } from '../config.ts'
import { passwordErrors } from '../contract.ts'
import type { PasswordPolicy } from '../policy.ts'
import { passwordMethod } from '../sign-in.ts'
import type { newPasswordContract } from './contract.ts'
import type { PasswordService } from './service.ts'

type Contract = typeof newPasswordContract

/**
 * Handles two kinds of mailed links whose pages ask for a password. One verifies a mail address. The other gives an account back to its
 * former mail address.
 */
export interface MailedLinks {
  /**
   * Returns which proof the caller needs in order to use a verification link (docs/design/sign-in.md#links-by-mail). The link stays
   * valid. Throws the errors of `Verification.userOf`.
   */
  checkVerification(principal: Principal, token: string): Promise<z.output<Contract['checkVerification']['response']>>
  /**
   * Verifies the mail address for a caller who proves that the account is theirs. A caller who sets a new password claims the account,
   * and the person who created it loses all access. Throws UNAUTHORIZED and INVALID_PASSWORD. Throws INVALID_TOKEN if the account cannot
   * be claimed.
   */
  confirm(principal: Principal, input: z.output<Contract['confirmEmail']['body']>): Promise<Verified>
  /** Returns the former mail address that a recovery link restores. The link stays valid. Throws INVALID_TOKEN. */
  checkRecovery(token: string): Promise<string>
  /**
   * Gives an account back to its former mail address (docs/design/accounts.md#a-changed-address). Sets the password if passwords can sign
   * in, ends all sessions, and verifies the address. Second factors and passkeys stay. If nobody can sign in by mail, the owner's older
   * identities at providers stay too. Returns the sign-in methods that are left, because a thief may have added some of them. Throws
   * INVALID_TOKEN. Throws ANOTHER_ACCOUNT_HAS_THIS_ADDRESS if another account has verified the address; the link then stays valid.
   */
  recoverAddress(principal: Principal, token: string, newPassword: string | undefined): Promise<readonly WayIn[]>
}

interface Deps extends Core {
  readonly passwords: Passwords
  readonly policy: PasswordPolicy
  readonly users: Users
  readonly credentials: Credentials
  readonly attempts: Attempts
  readonly verification: Verification
  readonly recovery: AddressRecovery
  readonly notices: Pick<Notices, 'waysIn'>
  readonly passwordService: Pick<PasswordService, 'claim' | 'claimAddress'>
  readonly config: PasswordSettings
  /** True if whoever reads the mailbox can sign in: with a mailed link or code, or by resetting the password. */
  readonly isMailboxEnough: boolean
}

/**
 * Milliseconds after the creation of an account. An identity that was linked within this time counts as the identity with which the
 * account was created.
 */
const signUpMs = 60_000

/**
 * Returns a test for identities that belong to the owner. The first kind is the identity with which the account was created. The second
 * kind was linked before the change of the mail address, by more than the lifetime of a recovery link. A recent thief can have linked
 * neither kind.
 */
const linkedBefore =
  ({ createdAt }: Pick<User, 'createdAt'>, givenUpAt: Date, ttlSeconds: number) =>
  (identity: Pick<Identity, 'createdAt'>) => {
    const linkedAt = identity.createdAt.getTime()
    return linkedAt <= createdAt.getTime() + signUpMs || linkedAt <= givenUpAt.getTime() - ttlSeconds * 1000
  }

export const createMailedLinks = (deps: Deps): MailedLinks => {
  const {
    db,
    transact,
    passwords,
    policy,
    users,
    credentials,
    attempts,
    verification,
    recovery,
    notices,
    passwordService,
    config,
    isMailboxEnough,
  } = deps

  const passwordOf = async ({ id }: User) => (config.emailPasswordEnabled ? (await credentials.find(db, id))?.hash : undefined)

  /**
   * An account that has verified another mail address before cannot be claimed, because its present address may be a typing error. The
   * account must not go to a stranger who receives a mail without having requested it.
   */
  const isClaimable = ({ emailVerified, emailEverVerified }: User) =>
    config.emailPasswordEnabled && config.passwordResetEnabled && !emailVerified && !emailEverVerified

  const claim = async (principal: Principal, user: User, newPassword: string): Promise<Verified> => {
    policy.checkLength(newPassword)
    if (!isClaimable(user)) throw verification.invalidToken()
    const hash = await policy.hash(newPassword, user, requesterOf(principal, true))
    return transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      const current = await users.find(tx, user.id)
      if (current === undefined || !isClaimable(current) || current.emailVersion !== user.emailVersion)
        throw verification.invalidToken()
      const { id } = await passwordService.claimAddress(tx, principal, current, hash)
      const claimed = await users.require(tx, id)
      const started = await verification.signIn(tx, principal, claimed, [attempts.proof(passwordMethod, id)])
      return { user: claimed, isChange: false, started }
    })
  }

  const provePassword = async (principal: Principal, user: User, password: string | undefined): Promise<readonly Proof[]> => {
    const hash = await passwordOf(user)
    if (password === undefined || hash === undefined) throw coreErrors.error('UNAUTHORIZED', { message: 'unauthorized' })
    const attempt = await attempts.prove(attempts.openByLink(principal, user), passwordMethod, () =>
      passwords.verify(hash, password, requesterOf(principal, true)),
    )
    if (attempt === undefined) throw passwordErrors.error('INVALID_PASSWORD')
    await transact((tx) => attempts.succeed(tx, attempt))
    return attempt.proofs
  }

  return {
    checkVerification: async (principal, token) => {
      const user = await verification.userOf(token)
      const isOwner = user.emailVerified || (await verification.isOwner(principal, user))
      const asks = isOwner ? 'nothing' : (await passwordOf(user)) === undefined ? 'sign-in' : 'password'
      return { email: user.email, asks, isClaimable: !isOwner && isClaimable(user) }
    },
    confirm: async (principal, { token, password, newPassword }) => {
      const user = await verification.userOf(token)
      if (newPassword !== undefined) return claim(principal, user, newPassword)
      const isOwner = user.emailVerified || (await verification.isOwner(principal, user))
      const proofs = isOwner ? [] : await provePassword(principal, user, password)
      return verification.verify(principal, user, { maySignIn: true, proofs })
    },
    checkRecovery: async (token) => (await recovery.find(token)).email,
    recoverAddress: async (principal, token, newPassword) => {
      if (config.emailPasswordEnabled) policy.checkLength(newPassword ?? '')
      const { userId, email, givenUpAt } = await recovery.find(token)
      const owner = { ...(await users.require(db, userId)), email }
      const hash = config.emailPasswordEnabled
        ? await policy.hash(newPassword ?? '', owner, requesterOf(principal, true))
        : undefined
      return transact(async (tx) => {
        await lockRow(tx, 'user', userId)
        const user = await recovery.restore(tx, principal, userId, token)
        const keeps = isMailboxEnough ? undefined : linkedBefore(user, givenUpAt, recovery.ttlSeconds)
        await passwordService.claim(tx, principal, user, hash, keeps)
        return notices.waysIn(tx, userId)
      })
    },
  }
}
