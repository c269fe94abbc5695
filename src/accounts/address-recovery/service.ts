import type { Caller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import { type Db, lockRow, type Transact, type Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { requesterOf } from '../../core/hash-queue.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { User, Users } from '../../users/index.ts'
import { accountErrors } from '../errors.ts'
import type { Notices, Outbox } from '../notices.ts'
import type { PasswordPolicy } from '../password-policy.ts'
import type { PasswordCare } from '../passwords/service.ts'
import type { TakeOver } from '../taking-over.ts'
import { releasedAddress } from './links.ts'
import * as store from './store.ts'

/** An account comes back to the address it had before a change (decision 0085). */
export interface AddressRecovery {
  /** The address that a link takes back. Consumes nothing. Throws INVALID_TOKEN. */
  check(token: string): Promise<string>
  /**
   * Restores the address, which is verified by the link, sets the password and ends everything that others may have of the account. Throws
   * INVALID_TOKEN, and ANOTHER_ACCOUNT_HAS_THIS_ADDRESS when its holder has proven it; then the link goes on working.
   */
  recover(caller: Caller, token: string, newPassword: string): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly users: Users
  readonly policy: PasswordPolicy
  readonly passwordCare: Pick<PasswordCare, 'claim'>
  readonly takeOver: TakeOver
  readonly mail: Outbox
  readonly notices: Notices
}

const wrongToken = () => accountErrors.refuse('INVALID_TOKEN', { status: 400, message: 'invalid token' })
const taken = () => accountErrors.refuse('ANOTHER_ACCOUNT_HAS_THIS_ADDRESS')

export const createAddressRecovery = (deps: Deps): AddressRecovery => {
  const { db, transact, clock, entropy, users, policy, passwordCare, takeOver, mail, notices } = deps

  const find = async (token: string) => {
    const row = await store.findRecovery(db, sha256(token), clock.now())
    if (row === undefined) throw wrongToken()
    return row
  }

  /**
   * Frees the address of an account that has it without proof: a thief could keep the link from working by signing up with it. An account
   * that has proven another address keeps its access and only loses this one.
   */
  const release = async (tx: Tx, email: string) => {
    const found = await users.findByEmail(tx, email)
    if (found === undefined) return
    await lockRow(tx, 'user', found.id)
    const holder = await users.find(tx, found.id)
    if (holder === undefined || holder.email !== email) return
    if (holder.emailVerified) throw taken()
    if (!holder.emailEverVerified) await takeOver(tx, holder)
    await users.changeEmail(tx, holder.id, holder, releasedAddress(entropy))
  }

  const restore = async (tx: Tx, caller: Caller, user: User, email: string): Promise<User> => {
    if (user.email === email) return user
    await release(tx, email)
    if ((await users.changeEmail(tx, user.id, user, email)) !== 'changed') throw taken()
    await mail.enqueue(tx, notices.emailChanged(inLanguageOf(caller, user), email))
    return users.require(tx, user.id)
  }

  return {
    check: async (token) => (await find(token)).email,
    recover: async (caller, token, newPassword) => {
      policy.checkLength(newPassword)
      const { userId, email } = await find(token)
      const hash = await policy.hash(newPassword, { ...(await users.require(db, userId)), email }, requesterOf(caller, true))
      await transact(async (tx) => {
        await lockRow(tx, 'user', userId)
        const row = await store.findRecovery(tx, sha256(token), clock.now())
        if (row === undefined || !(await store.consumeRecovery(tx, row.id))) throw wrongToken()
        const user = await restore(tx, caller, await users.require(tx, userId), email)
        await store.deleteLater(tx, row)
        await passwordCare.claim(tx, caller, user, hash)
      })
    },
  }
}
