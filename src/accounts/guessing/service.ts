import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Transact, Tx } from '../../core/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { sweep } from '../../core/sweep.ts'
import { accountErrors } from '../errors.ts'
import { type Attempt, alsoAt, attemptAt, type GuessingPolicy, lockKeptSeconds, together, withoutOne } from './rules.ts'
import * as store from './store.ts'

/** Whose wrong passwords are counted together. */
export interface Subject {
  readonly key: string
  readonly userId: string | null
  /** The count this one is part of. */
  readonly all?: string
}

const everybodyAt = (email: string) => sha256(`address:${email}`)

/**
 * Everybody in one network who tries an address from a browser that has not signed in to it before. The address need not be anybody's:
 * `userId` is null then.
 */
export const strangersTo = (email: string, network: string, userId: string | null): Subject => ({
  key: sha256(`address:${email}:${network}`),
  userId,
  all: everybodyAt(email),
})

/** One browser that has signed in to the account before: strangers cannot slow it down. */
export const knownDevice = (userId: string, deviceId: string): Subject => ({
  key: sha256(`device:${userId}:${deviceId}`),
  userId,
})

/**
 * One session in which the password is asked for again. Neither its owner's other sessions nor sign-ins are slowed by it: whoever holds
 * one session shuts nobody out of another.
 */
export const signedIn = ({ id, userId }: { readonly id: string; readonly userId: string }): Subject => ({
  key: sha256(`session:${id}`),
  userId,
})

/** Slows down who guesses passwords. Counted in the database, so for all nodes together. */
export interface Guessing {
  /**
   * Counts an attempt, before the password is looked at: parallel guesses cannot all pass. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD, for unknown addresses alike.
   */
  attempt(subject: Subject): Promise<void>
  /** Counts an attempt, then looks at the password; takes the count back when that fails for want of time. */
  check(subject: Subject, isRight: () => Promise<boolean>): Promise<boolean>
  /** Takes back what was counted: the password was right. */
  succeed(tx: Tx, subject: Subject): Promise<void>
  /** Forgets all wrong passwords of a user: the password is a new one. */
  forget(tx: Tx, user: { readonly id: string; readonly email: string }): Promise<void>
  /** Deletes the counts that are forgotten, and the oldest beyond the most that are kept, whether their address is known or not. */
  sweep(stop?: AbortSignal): Promise<void>
}

export const createGuessing = (transact: Transact, clock: Clock, policy: GuessingPolicy): Guessing => {
  /** The count of a key; what was counted for an earlier owner of an address, or for nobody, is not the user's. */
  const find = async (tx: Tx, key: string, userId: string | null) => {
    const row = await store.findFailures(tx, key)
    return row?.userId === userId ? row : undefined
  }

  /** Strangers wait for one another only where wrong passwords came from their own network too. */
  const decide = async (tx: Tx, { key, userId, all }: Subject): Promise<Attempt> => {
    await store.lockCount(tx, all ?? key)
    const now = clock.now()
    const own = await find(tx, key, userId)
    const decided = attemptAt(own, now, policy)
    if (decided.kind !== 'counted') return decided
    if (all !== undefined) {
      const others = await find(tx, all, userId)
      const joint = attemptAt(others, now, together(policy))
      if (joint.kind !== 'counted' && own !== undefined) return joint
      const failures = joint.kind === 'counted' ? joint.failures : others && alsoAt(others, now)
      if (failures !== undefined) await store.saveFailures(tx, { ...failures, key: all, userId })
    }
    await store.saveFailures(tx, { key, userId, ...decided.failures })
    return decided
  }

  const attempt = async (subject: Subject) => {
    const decided = await transact((tx) => decide(tx, subject))
    if (decided.kind === 'locked')
      throw accountErrors.refuse('TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD', { retryAfterSeconds: policy.longestWaitSeconds })
    if (decided.kind === 'waiting')
      throw coreErrors.refuse('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: decided.seconds })
  }

  const keysOf = ({ key, all }: Subject) => (all === undefined ? [key] : [all, key])

  const takeBack = (subject: Subject) =>
    transact(async (tx) => {
      await store.lockCount(tx, subject.all ?? subject.key)
      for (const key of keysOf(subject)) {
        const row = await find(tx, key, subject.userId)
        const left = row && withoutOne(row)
        if (left === undefined) await store.deleteFailures(tx, key)
        else await store.saveFailures(tx, { ...left, key, userId: subject.userId })
      }
    })

  return {
    attempt,
    check: async (subject, isRight) => {
      await attempt(subject)
      try {
        return await isRight()
      } catch (error) {
        await takeBack(subject)
        throw error
      }
    },
    succeed: async (tx, subject) => {
      await store.lockCount(tx, subject.all ?? subject.key)
      for (const key of keysOf(subject)) await store.deleteFailures(tx, key)
    },
    forget: async (tx, { id, email }) => {
      await store.lockCount(tx, everybodyAt(email))
      await store.deleteFailures(tx, everybodyAt(email))
      await store.deleteFailuresOfUser(tx, id)
    },
    sweep: async (stop) => {
      const { resetAfter, keptSeconds, mostKept } = policy
      for (const [seconds, isLock] of [
        [keptSeconds, false],
        [lockKeptSeconds, true],
      ] as const) {
        const before = clock.after(-seconds)
        await sweep(transact, (tx, limit) => store.deleteOldFailures(tx, { before, resetAfter, isLock }, limit), stop)
      }
      await sweep(transact, (tx, limit) => store.deleteBeyond(tx, mostKept, limit), stop)
    },
  }
}
