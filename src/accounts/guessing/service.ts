import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Transact, Tx } from '../../core/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { accountErrors } from '../errors.ts'
import { attemptAt, type GuessingPolicy } from './rules.ts'
import * as store from './store.ts'

/** Whose wrong passwords are counted together. */
export interface Subject {
  readonly key: string
  readonly userId: string | null
}

/** Everybody who tries an address from a browser that has not signed in to it before; the address need not be anybody's. */
export const strangersTo = (email: string): Subject => ({ key: sha256(`address:${email}`), userId: null })

/** One browser that has signed in to the account before: strangers cannot slow it down. */
export const knownDevice = (userId: string, deviceId: string): Subject => ({
  key: sha256(`device:${userId}:${deviceId}`),
  userId,
})

/** Those who are signed in already and are asked for the password again. */
export const signedIn = (userId: string): Subject => ({ key: sha256(`user:${userId}`), userId })

/** Slows down who guesses passwords. Counted in the database, so for all nodes together. */
export interface Guessing {
  /**
   * Counts an attempt, before the password is looked at: parallel guesses cannot all pass. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD, for unknown addresses alike.
   */
  attempt(subject: Subject): Promise<void>
  /** Takes back what was counted: the password was right. */
  succeed(tx: Tx, subject: Subject): Promise<void>
  /** Forgets all wrong passwords of a user: the password is a new one. */
  forget(tx: Tx, user: { readonly id: string; readonly email: string }): Promise<void>
  sweep(): Promise<void>
}

const keptSeconds = 90 * 86_400

export const createGuessing = (transact: Transact, clock: Clock, policy: GuessingPolicy): Guessing => ({
  attempt: async ({ key, userId }) => {
    const attempt = await transact(async (tx) => {
      const decided = attemptAt(await store.lockFailures(tx, key), clock.now(), policy)
      if (decided.kind === 'counted') await store.saveFailures(tx, { key, userId, ...decided.failures })
      return decided
    })
    if (attempt.kind === 'locked')
      throw accountErrors.refuse('TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD', { retryAfterSeconds: policy.longestWaitSeconds })
    if (attempt.kind === 'waiting')
      throw coreErrors.refuse('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: attempt.seconds })
  },
  succeed: async (tx, { key }) => void (await store.deleteFailures(tx, key)),
  forget: async (tx, { id, email }) => {
    await store.deleteFailures(tx, strangersTo(email).key)
    await store.deleteFailuresOfUser(tx, id)
  },
  sweep: () => transact((tx) => store.deleteOldFailures(tx, clock.after(-keptSeconds))),
})
