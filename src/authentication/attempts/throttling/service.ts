import type { Clock } from '../../../core/clock.ts'
import { sha256 } from '../../../core/crypto.ts'
import type { Db, Transact, Tx } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import type { Actor, Events } from '../../../core/events/record.ts'
import { networkOf } from '../../../core/network.ts'
import type { RequestContext } from '../../../core/request-context.ts'
import type { Retention } from '../../../core/retention.ts'
import type { Limits } from '../../../limits/index.ts'
import { attemptErrors, attemptEvents } from '../contract.ts'
import { createFailureRetention } from './retention.ts'
import {
  announce,
  decideAttempt,
  decrement,
  type Failures,
  increment,
  sharedCounterPolicy,
  type ThrottleDecision,
  type ThrottlingPolicy,
} from './rules.ts'
import * as store from './store.ts'

/** The keys for counting wrong passwords. */
export interface ThrottleKey {
  readonly key: string
  readonly userId: string | null
  /** The shared counter of all untrusted clients of the address, which also counts this attempt. */
  readonly sharedKey?: string
}

const sharedKeyOf = (typed: string) => sha256(`address:${typed}`)

/**
 * All browsers in one network that have not signed in to this address or user name before. `userId` is null for one without an account:
 * it is counted in the same way.
 */
export const untrustedClient = (typed: string, network: string, userId: string | null): ThrottleKey => ({
  key: sha256(`address:${typed}:${network}`),
  userId,
  sharedKey: sharedKeyOf(typed),
})

/** One browser that has signed in to the account before: untrusted clients cannot slow it down. */
export const knownBrowser = (userId: string, deviceId: string): ThrottleKey => ({
  key: sha256(`device:${userId}:${deviceId}`),
  userId,
})

/**
 * One session in which the password is asked for again (codes are counted by account: `secondFactorOf`). It slows down neither sign-ins nor the owner's other sessions, so a stolen session
 * cannot lock the owner out.
 */
export const sessionKey = ({ id, userId }: { readonly id: string; readonly userId: string }): ThrottleKey => ({
  key: sha256(`session:${id}`),
  userId,
})

/**
 * Second factors of an account, in all its sign-ins and sessions. They need the first factor, so that nobody without it can slow down the
 * owner. `deviceId` is a browser that has signed in to the account before and has a counter of its own, so that a thief of the password
 * cannot lock out the owner.
 */
export const secondFactorOf = (userId: string, deviceId: string | undefined): ThrottleKey => ({
  key: sha256(deviceId === undefined ? `second-factor:${userId}` : `second-factor:${userId}:${deviceId}`),
  userId,
})

/** Limits how often a network may request something expensive, on all nodes together. */
export interface NetworkLimit {
  readonly limiter: Limits
  readonly max: number
  readonly windowSeconds: number
}

/** Current waits of a user. */
export interface ThrottleState {
  /** `all`: everybody whose browser the account does not know, in networks with wrong passwords. `some`: one network, browser or session. */
  readonly scope: 'all' | 'some'
  readonly failures: number
  /** Null: until the password is reset. */
  readonly until: Date | null
}

/** A user, with every name for a password sign-in: the address and the username. */
interface Account {
  readonly id: string
  readonly email: string
  readonly username?: string | null
}
const sharedKeysOf = ({ email, username }: Account) => [email, username ?? []].flat().map(sharedKeyOf)

/** Brute-force protection for passwords. The counters are in the database, so all nodes share them. */
export interface Throttling {
  /**
   * Counts an attempt of the actor before the password is checked, so that parallel guesses cannot all pass, and records a lock or shared
   * wait that starts. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD, also for unknown
   * addresses.
   */
  attempt(actor: Actor, throttleKey: ThrottleKey): Promise<void>
  /** Counts an attempt, then checks the password; removes the count if the check itself fails, for example under overload. */
  check(actor: Actor, throttleKey: ThrottleKey, isRight: () => Promise<boolean>): Promise<boolean>
  /** Deletes the counts of a key after a right password. */
  succeed(tx: Tx, throttleKey: ThrottleKey): Promise<void>
  /** Deletes all counts of a user after a new password or the deletion of the user. */
  forget(tx: Tx, user: Account): Promise<void>
  /**
   * Counts a network's request for a password to hash or a mail to send. Does nothing without limits. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER.
   */
  limitNetwork(what: 'passwords' | 'mails', context: RequestContext): Promise<void>
  /** Current waits of sign-ins to this account. */
  state(db: Db, user: Account): Promise<readonly ThrottleState[]>
  /** Retention of counts: expired ones, and the oldest beyond the maximum, for known and unknown addresses alike. */
  readonly retention: Retention
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly events: Events
}

const keysOf = ({ key, sharedKey }: ThrottleKey) => (sharedKey === undefined ? [key] : [sharedKey, key])

/** A higher count, and the lock or wait that starts with it. */
interface Growth {
  readonly row: store.FailureRow
  readonly begins: ReturnType<typeof announce>['begins']
  readonly isShared: boolean
}

export const createThrottling = (
  { db, transact, clock, events }: Deps,
  policy: ThrottlingPolicy,
  limit?: NetworkLimit,
): Throttling => {
  /** The counts of a key and its shared count. Counts of an earlier owner of the address, or of the time before it had an account, do not apply to this user. */
  const find = async (tx: Tx, throttleKey: ThrottleKey) => {
    const { key, sharedKey, userId } = throttleKey
    const rows = (await store.findFailures(tx, keysOf(throttleKey))).filter((row) => row.userId === userId)
    return { own: rows.find((row) => row.key === key), shared: rows.find((row) => row.key === sharedKey) }
  }

  /** Records the lock of a user, or the wait of the shared counter, that starts with a higher count. */
  const recordBegin = async (tx: Tx, actor: Actor, { row, begins, isShared }: Growth) => {
    const { userId, consecutive, waitUntil } = row
    if (userId === null) return
    const said = { subject: userId, data: { failures: consecutive } }
    if (begins === 'lock')
      await events.record(tx, actor, attemptEvents['user.locked'], {
        ...said,
        data: { ...said.data, scope: isShared ? 'all' : 'some' },
      })
    if (begins === 'wait' && isShared && waitUntil !== null)
      await events.record(tx, actor, attemptEvents['user.throttled'], {
        ...said,
        data: { ...said.data, until: waitUntil.toISOString() },
      })
  }

  /** Untrusted clients only wait for the shared counter if wrong passwords came from their own network, too. */
  const decide = async (tx: Tx, actor: Actor, throttleKey: ThrottleKey): Promise<ThrottleDecision> => {
    const { key, userId, sharedKey } = throttleKey
    await store.lockCount(tx, sharedKey ?? key)
    const now = clock.now()
    const { own, shared } = await find(tx, throttleKey)
    const decided = decideAttempt(own, now, policy)
    if (decided.kind !== 'counted') return decided
    const joint = sharedKey === undefined ? undefined : decideAttempt(shared, now, sharedCounterPolicy(policy))
    if (joint !== undefined && joint.kind !== 'counted' && own !== undefined) return joint
    const grown = (key: string, before: store.FailureRow | undefined, failures: Failures, isShared: boolean): Growth => {
      const { announced, begins } = announce(failures, before, now, policy)
      return { row: { ...failures, ...announced, key, userId }, begins, isShared }
    }
    const together = joint?.kind === 'counted' ? joint.failures : shared && increment(shared, now)
    const growths = [
      ...(sharedKey === undefined || together === undefined ? [] : [grown(sharedKey, shared, together, true)]),
      grown(key, own, decided.failures, false),
    ]
    await store.saveFailures(
      tx,
      growths.map(({ row }) => row),
    )
    for (const growth of growths) await recordBegin(tx, actor, growth)
    return decided
  }

  const attempt: Throttling['attempt'] = async (actor, throttleKey) => {
    const decided = await transact((tx) => decide(tx, actor, throttleKey))
    if (decided.kind === 'locked')
      throw attemptErrors.error('TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD', { retryAfterSeconds: policy.longestWaitSeconds })
    if (decided.kind === 'waiting')
      throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: decided.seconds })
  }

  const uncount = (throttleKey: ThrottleKey) =>
    transact(async (tx) => {
      await store.lockCount(tx, throttleKey.sharedKey ?? throttleKey.key)
      const { own, shared } = await find(tx, throttleKey)
      const left = [shared, own].flatMap((row) => {
        const fewer = row && decrement(row)
        return row === undefined || fewer === undefined ? [] : [{ ...row, ...fewer }]
      })
      const gone = keysOf(throttleKey).filter((key) => !left.some((row) => row.key === key))
      if (gone.length > 0) await store.deleteFailures(tx, gone)
      if (left.length > 0) await store.saveFailures(tx, left)
    })

  return {
    attempt,
    check: async (actor, throttleKey, isRight) => {
      await attempt(actor, throttleKey)
      try {
        return await isRight()
      } catch (error) {
        await uncount(throttleKey)
        throw error
      }
    },
    succeed: async (tx, throttleKey) => {
      await store.lockCount(tx, throttleKey.sharedKey ?? throttleKey.key)
      await store.deleteFailures(tx, keysOf(throttleKey))
    },
    forget: async (tx, user) => {
      for (const key of sharedKeysOf(user)) {
        await store.lockCount(tx, key)
        await store.deleteFailures(tx, [key])
      }
      await store.deleteFailuresOfUser(tx, user.id)
    },
    state: async (db, user) => {
      const now = clock.now()
      const sharedKeys = new Set(sharedKeysOf(user))
      const rows = await store.listFailures(db, user.id)
      return rows.flatMap(({ key, userId: _, ...seen }) => {
        const isShared = sharedKeys.has(key)
        const decided = decideAttempt(seen, now, isShared ? sharedCounterPolicy(policy) : policy)
        if (decided.kind === 'counted') return []
        const until = decided.kind === 'locked' ? null : seen.waitUntil
        return [{ scope: isShared ? ('all' as const) : ('some' as const), failures: seen.consecutive, until }]
      })
    },
    limitNetwork: async (what, { address }) => {
      if (limit === undefined) return
      const retryAfterSeconds = await limit.limiter.hit(`${what}:${networkOf(address)}`, limit.max, limit.windowSeconds)
      if (retryAfterSeconds > 0) throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds })
    },
    retention: createFailureRetention({ db, transact, clock }, policy),
  }
}
