import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Transact, Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { sweep } from '../../core/sweep.ts'
import type { User, Users } from '../../users/index.ts'
import { findCredential } from '../store.ts'
import * as store from './store.ts'

/** What a mailed token is for (accounts specification, sections 3 and 9). */
export interface Purpose {
  readonly identifier: (tokenHash: string) => string
  readonly length: number
  readonly ttlSeconds: number
}

/** What a token was issued for: it is worth nothing once address or password have changed. */
interface Claim {
  readonly userId: string
  readonly email: string
  readonly emailVersion: number
  /** Hash of the password's hash. */
  readonly password: string
}

/** Random tokens that work once. Only their hashes are stored. */
export interface OneTimeTokens {
  issue(tx: Tx, purpose: Purpose, user: User): Promise<string>
  /** True while a token that was issued for this user is good and has half of its life to go. */
  hasGood(tx: Tx, purpose: Purpose, userId: string): Promise<boolean>
  /** Takes a token back that nobody got to see. */
  withdraw(tx: Tx, purpose: Purpose, token: string): Promise<void>
  /** The user a token is good for; consumes nothing. */
  check(db: Db, purpose: Purpose, token: string): Promise<User | undefined>
  /** The user, once: of simultaneous callers one gets it. */
  consume(tx: Tx, purpose: Purpose, token: string): Promise<User | undefined>
  /** Deletes what has expired in the table they share with other features. */
  sweep(stop?: AbortSignal): Promise<unknown>
}

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly users: Users
}

export const createOneTimeTokens = ({ transact, clock, entropy, users }: Deps): OneTimeTokens => {
  const passwordState = async (db: Db, userId: string) => sha256((await findCredential(db, userId))?.password ?? '')

  const userOf = async (db: Db, value: string | undefined): Promise<User | undefined> => {
    if (value === undefined) return undefined
    const claim = JSON.parse(value) as Claim
    const user = await users.find(db, claim.userId)
    const isSame =
      user?.email === claim.email &&
      user.emailVersion === claim.emailVersion &&
      (await passwordState(db, user.id)) === claim.password
    return isSame ? user : undefined
  }

  return {
    issue: async (tx, { identifier, length, ttlSeconds }, { id, email, emailVersion }) => {
      const token = entropy.token(length)
      const now = clock.now()
      const claim: Claim = { userId: id, email, emailVersion, password: await passwordState(tx, id) }
      await store.insertVerification(tx, {
        id: entropy.id(),
        identifier: identifier(sha256(token)),
        value: JSON.stringify(claim),
        expiresAt: clock.after(ttlSeconds),
        createdAt: now,
        updatedAt: now,
        userId: id,
      })
      return token
    },
    hasGood: async (tx, { identifier, ttlSeconds }, userId) => {
      const values = await store.listValues(tx, userId, identifier(''), clock.after(ttlSeconds / 2))
      for (const value of values) if ((await userOf(tx, value)) !== undefined) return true
      return false
    },
    withdraw: async (tx, { identifier }, token) => void (await store.deleteVerification(tx, identifier(sha256(token)))),
    check: async (db, { identifier }, token) => userOf(db, await store.findValue(db, identifier(sha256(token)), clock.now())),
    consume: async (tx, { identifier }, token) => userOf(tx, await store.takeValue(tx, identifier(sha256(token)), clock.now())),
    sweep: (stop) => sweep(transact, (tx, limit) => store.deleteExpired(tx, clock.now(), limit), stop),
  }
}
