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

/** The keys of the counters that an attempt uses. */
export interface ThrottleKey {
  readonly key: string
  readonly userId: string | null
  /** The key of the counter that all untrusted clients of the typed address share. The attempt is counted there too. */
  readonly sharedKey?: string
}

const sharedKeyOf = (typed: string) => sha256(`address:${typed}`)

/**
 * The counter for a typed address or user name in one network. All browsers of the network that have not signed in to the account before
 * share it. `userId` is null if there is no account; such an attempt is counted too.
 */
export const untrustedClient = (typed: string, network: string, userId: string | null): ThrottleKey => ({
  key: sha256(`address:${typed}:${network}`),
  userId,
  sharedKey: sharedKeyOf(typed),
})

/** The counter of a browser that has signed in to the account before. Wrong passwords of untrusted clients do not slow this browser down. */
export const knownBrowser = (userId: string, deviceId: string): ThrottleKey => ({
  key: sha256(`device:${userId}:${deviceId}`),
  userId,
})

/**
 * The counter of a session that asks for the password again. Wrong passwords there slow down neither sign-ins nor other sessions of the
 * owner, so a thief of the session cannot lock out the owner. Wrong second factors are counted by account instead (`secondFactorOf`).
 */
export const sessionKey = ({ id, userId }: { readonly id: string; readonly userId: string }): ThrottleKey => ({
  key: sha256(`session:${id}`),
  userId,
})

/**
 * The counter for wrong second factors of an account, in all its sign-ins and sessions. A second factor is asked for only after a correct
 * first one, so strangers cannot slow down the owner. With `deviceId`, a browser that has signed in to the account before, the browser
 * has its own counter, so that a thief of the password cannot lock out the owner.
 */
export const secondFactorOf = (userId: string, deviceId: string | undefined): ThrottleKey => ({
  key: sha256(deviceId === undefined ? `second-factor:${userId}` : `second-factor:${userId}:${deviceId}`),
  userId,
})

/** Limits how often a network may request expensive work. The requests to all nodes count together. */
export interface NetworkLimit {
  readonly limiter: Limits
  readonly max: number
  readonly windowSeconds: number
}

/** A wait or lock that now applies to an account. */
export interface ThrottleState {
  /**
   * `all`: the wait applies to every browser that is new to the account, in networks that have sent wrong passwords. `some`: it applies
   * to one network, browser or session.
   */
  readonly scope: 'all' | 'some'
  readonly failures: number
  /** The end of the wait; null for a lock, which lasts until the password is reset. */
  readonly until: Date | null
}

/** A user with the mail address and the user name, either of which a sign-in with a password accepts. */
interface Account {
  readonly id: string
  readonly email: string
  readonly username?: string | null
}
const sharedKeysOf = ({ email, username }: Account) => [email, username ?? []].flat().map(sharedKeyOf)

/** Protects passwords against guessing. The counters are in the database, so all nodes share them. */
export interface Throttling {
  /**
   * Counts an attempt before its password is checked, so that parallel guesses cannot pass the limit. Records an event if a lock or a
   * shared wait starts. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD, whether or not
   * the typed address has an account.
   */
  attempt(actor: Actor, throttleKey: ThrottleKey): Promise<void>
  /** Counts an attempt, then checks the password. If the check throws, for example under overload, the attempt is not counted. */
  check(actor: Actor, throttleKey: ThrottleKey, isRight: () => Promise<boolean>): Promise<boolean>
  /** Deletes the counters of these keys after a correct password. */
  succeed(tx: Tx, throttleKey: ThrottleKey): Promise<void>
  /** Deletes all counters of a user. Called when the user has a new password or is deleted. */
  forget(tx: Tx, user: Account): Promise<void>
  /**
   * Counts a request of a network that hashes a password or sends a mail. Does nothing if the configuration sets no limit. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER.
   */
  limitNetwork(what: 'passwords' | 'mails', context: RequestContext): Promise<void>
  /** The waits and locks that now apply to this account. */
  state(db: Db, user: Account): Promise<readonly ThrottleState[]>
  /**
   * Deletes expired counters, and the oldest counters beyond the maximum. Counters for addresses with and without an account are treated
   * alike.
   */
  readonly retention: Retention
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly events: Events
}

const keysOf = ({ key, sharedKey }: ThrottleKey) => (sharedKey === undefined ? [key] : [sharedKey, key])

/** A counter that an attempt has increased, and the lock or wait that the increase starts. */
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
  /**
   * Reads the two counters of an attempt: its own and the shared one. A counter that was stored for another user, or before the account
   * existed, is ignored.
   */
  const find = async (tx: Tx, throttleKey: ThrottleKey) => {
    const { key, sharedKey, userId } = throttleKey
    const rows = (await store.findFailures(tx, keysOf(throttleKey))).filter((row) => row.userId === userId)
    return { own: rows.find((row) => row.key === key), shared: rows.find((row) => row.key === sharedKey) }
  }

  /** Records an event if the increased counter starts a lock of the account, or a wait of all untrusted clients. */
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

  /** Decides about an attempt and counts it. The shared counter makes a client wait only if its own network has sent wrong passwords too. */
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
