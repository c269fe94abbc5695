import type { z } from 'zod'
import type { Caller } from '../../core/caller.ts'
import type { Passwords } from '../../core/crypto.ts'
import { type Db, lockRow, type Transact } from '../../core/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { requesterOf } from '../../core/hash-queue.ts'
import { networkOf } from '../../core/network.ts'
import type { User, Users } from '../../users/index.ts'
import type { AccountsConfig } from '../config.ts'
import { accountErrors } from '../errors.ts'
import { type Guessing, strangersTo } from '../guessing/service.ts'
import type { PasswordPolicy } from '../password-policy.ts'
import type { PasswordCare } from '../passwords/service.ts'
import { findCredential } from '../store.ts'
import type { Verification, Verified } from '../verification.ts'
import type { confirmationContract } from './contract.ts'

type Input = z.output<typeof confirmationContract.confirmEmail.body>

/** What a verification link does on the page it leads to, where nobody is signed in to its account (decision 0084). */
export interface Confirmation {
  /** What the link asks of this caller. Changes nothing. Throws what `Verification.userOf` does. */
  check(caller: Caller, token: string): Promise<z.output<typeof confirmationContract.checkVerification.response>>
  /**
   * Verifies the address for who shows that the account is theirs; with a new password the account becomes theirs and whoever made it loses
   * all access. Throws UNAUTHORIZED and INVALID_PASSWORD, and INVALID_TOKEN when the account cannot be claimed (any more).
   */
  confirm(caller: Caller, input: Input): Promise<Verified>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly passwords: Passwords
  readonly policy: PasswordPolicy
  readonly guessing: Guessing
  readonly users: Users
  readonly verification: Verification
  readonly passwordCare: Pick<PasswordCare, 'claim'>
  readonly config: AccountsConfig
}

export const createConfirmation = (deps: Deps): Confirmation => {
  const { db, transact, passwords, policy, guessing, users, verification, passwordCare, config } = deps

  const passwordOf = async ({ id }: User) =>
    config.emailPasswordEnabled ? ((await findCredential(db, id))?.password ?? undefined) : undefined

  /** Who has proven an address once may have mistyped this one: a mail that came unasked does not give their account away. */
  const isClaimable = ({ emailVerified, emailEverVerified }: User) =>
    config.emailPasswordEnabled && config.passwordResetEnabled && !emailVerified && !emailEverVerified

  const claim = async (caller: Caller, user: User, newPassword: string): Promise<Verified> => {
    policy.checkLength(newPassword)
    if (!isClaimable(user)) throw accountErrors.refuse('INVALID_TOKEN')
    const hash = await policy.hash(newPassword, user, requesterOf(caller, true))
    return transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      const current = await users.find(tx, user.id)
      if (current === undefined || !isClaimable(current) || current.emailVersion !== user.emailVersion)
        throw accountErrors.refuse('INVALID_TOKEN')
      await passwordCare.claim(tx, caller, current, hash)
      const started = config.signInAfterVerification
        ? await verification.begin(tx, caller, current, { byPassword: true })
        : undefined
      return { user: (await users.find(tx, user.id)) ?? current, isChange: false, started }
    })
  }

  const requirePassword = async (caller: Caller, user: User, password: string | undefined) => {
    const hash = await passwordOf(user)
    if (password === undefined || hash === undefined) throw coreErrors.refuse('UNAUTHORIZED', { message: 'unauthorized' })
    const subject = strangersTo(user.email, networkOf(caller.address), user.id)
    if (!(await guessing.check(subject, () => passwords.verify(hash, password, requesterOf(caller, true)))))
      throw accountErrors.refuse('INVALID_PASSWORD')
    await transact((tx) => guessing.succeed(tx, subject))
  }

  return {
    check: async (caller, token) => {
      const user = await verification.userOf(token)
      const isTheirs = user.emailVerified || (await verification.isTheirs(caller, user))
      const asks = isTheirs ? 'nothing' : (await passwordOf(user)) === undefined ? 'sign-in' : 'password'
      return { email: user.email, asks, isClaimable: !isTheirs && isClaimable(user) }
    },
    confirm: async (caller, { token, password, newPassword }) => {
      const user = await verification.userOf(token)
      if (newPassword !== undefined) return claim(caller, user, newPassword)
      if (!user.emailVerified && !(await verification.isTheirs(caller, user))) await requirePassword(caller, user, password)
      return verification.verify(caller, user, { begins: true, byPassword: password !== undefined })
    },
  }
}
