import type { z } from 'zod'
import type { Clock } from './clock.ts'
import { type Transact, type Tx, uniqueViolation } from './db/database.ts'
import { time } from './db/table.ts'
import type { Job } from './jobs.ts'
import type { Log } from './log.ts'
import * as store from './queue-store.ts'
import type { Random } from './random.ts'

/** A task as the handler of its kind receives it. */
export interface Task<P> {
  readonly id: string
  readonly key: string | null
  readonly payload: P
  readonly createdAt: Date
  /** The number of this attempt. The first attempt has the number 1. */
  readonly attempt: number
  /** Aborted when the node stops, or when the worker has lost the lease. A handler that can stop early should then do so. */
  readonly signal: AbortSignal
}

/** A function that runs in the transaction that ends the task. It does not run if the worker has lost the lease. */
export type Settle = (tx: Tx) => Promise<void>

/** A kind of background work. Each task of the kind runs at least once. Features list their kinds in their registration. */
export interface TaskKind<P> {
  /** The name of the kind: words in lower case, with dashes and dots between them. */
  readonly kind: string
  /** The schema of the payload. If the handler can read the data from the database, the payload should contain only ids. */
  readonly payload: z.ZodType<P>
  /** True if somebody who has a copy of the database must not be able to read the payload, for example a link with a token. */
  readonly isSealed?: boolean
  /** Does the work. The principal is the system. If it throws, the task is tried again, except after `FinalTaskError`. */
  handle(task: Task<P>): Promise<Settle | undefined>
  /** Called when a task becomes dead, in the same transaction. */
  onDead?(tx: Tx, task: Pick<store.TaskRow, 'id' | 'attempts' | 'details'>): Promise<void>
  /** After this number of failed attempts the task becomes dead. */
  readonly maxAttempts: number
  /**
   * Seconds to wait after the first failure, and the longest wait. The wait doubles after each further failure. Up to a fifth is added at
   * random.
   */
  readonly backOffSeconds: readonly [first: number, longest: number]
  /** Length of a lease in seconds. A node that runs a task has a lease on it, and extends the lease while the handler runs. */
  readonly leaseSeconds: number
  /** Largest number of tasks that a node runs at the same time. */
  readonly concurrency: number
  /**
   * The largest number of tasks that may run at the same time now. Used if the tasks need something that may be unavailable. 0: no task
   * is started.
   */
  capacity?(): number
  /** How long a task stays stored after it is done, in seconds. When absent: it is deleted at once. */
  readonly keepDoneSeconds?: number
  readonly keepDeadSeconds: number
  /** Only for periodic work, which runs on one node at a time: seconds until the next run. Periodic work never becomes dead. */
  readonly everySeconds?: number
}

/**
 * How long to wait after this number of failed attempts. The wait doubles with each failure. Up to a fifth is added at random, so that
 * many tasks are not repeated at the same moment.
 */
export const backOff = (attempts: number, [first, longest]: readonly [number, number], randomByte: number): number =>
  Math.min(first * 2 ** (attempts - 1), longest) * (1 + randomByte / 1280)

/** Thrown by a handler if another attempt cannot succeed. Then the task becomes dead at once. */
export class FinalTaskError extends Error {}

/** Longest error message that is stored. A longer one is cut, and characters that databases cannot store are removed. */
const longestError = 500
const textOf = (err: unknown): string =>
  (err instanceof Error ? err.message : String(err)).replaceAll('\u0000', '').slice(0, longestError).toWellFormed()

/** If the tasks of a kind are unusually late, a node with a wrong clock may have written their times. This is how often that is checked. */
const looksAtDatesMs = 3_600_000

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

interface Work {
  readonly name: string
  readonly kind: TaskKind<unknown>
  /** Decrypts and parses the payload of a task. Throws if it does not match the schema of the kind. */
  readonly open: (row: store.TaskRow) => unknown
  /** Makes the row of a periodic kind, which has only this row. */
  readonly first: () => store.TaskRow
}

interface Parts extends Deps, Work {
  /** Aborted when the node stops. */
  readonly stopping: AbortController
}

const leaseEnd = ({ clock, kind }: Parts) => clock.after(kind.leaseSeconds)

const finish = ({ transact, clock, kind, stopping }: Parts, row: store.TaskRow, settle: Settle | undefined) =>
  transact(async (tx) => {
    const settled = { leaseToken: null, lastError: null }
    const isHeld =
      kind.everySeconds !== undefined
        ? await store.updateHeld(tx, row, {
            ...settled,
            status: 'pending',
            attempts: 0,
            dueAt: stopping.signal.aborted ? clock.now() : clock.after(kind.everySeconds),
          })
        : kind.keepDoneSeconds === undefined
          ? await store.deleteHeld(tx, row)
          : await store.updateHeld(tx, row, {
              ...settled,
              status: 'done',
              payload: null,
              expiresAt: clock.after(kind.keepDoneSeconds),
            })
    if (isHeld) await settle?.(tx)
    return isHeld
  })

const fail = async ({ transact, clock, random, log, kind }: Parts, row: store.TaskRow, err: unknown) => {
  const lastError = textOf(err)
  const isDead = row.attempts >= kind.maxAttempts || err instanceof FinalTaskError
  const dueAt = clock.after(backOff(row.attempts, kind.backOffSeconds, random.bytes(1)[0] ?? 0))
  const task = { err, task: row.id, kind: kind.kind, attempts: row.attempts }
  if (isDead) log.error(task, 'task failed for the last time and is kept as dead')
  else log.warn({ ...task, again: dueAt }, 'task failed and is tried again')
  return transact(async (tx) => {
    const isHeld = await store.updateHeld(
      tx,
      row,
      isDead
        ? { status: 'dead', attempts: row.attempts, leaseToken: null, lastError, expiresAt: clock.after(kind.keepDeadSeconds) }
        : { status: 'pending', leaseToken: null, lastError, dueAt },
    )
    if (isHeld && isDead) await kind.onDead?.(tx, row)
    if (isHeld && !isDead && row.key !== null) await store.postponeFollowers(tx, row, dueAt)
    return isHeld
  })
}

/** Makes the task pending again, so that another worker takes it. At least one more attempt is allowed. */
const giveBack = ({ transact, clock, kind }: Parts, row: store.TaskRow) =>
  transact((tx) =>
    store.updateHeld(tx, row, {
      status: 'pending',
      leaseToken: null,
      attempts: Math.min(row.attempts, Math.max(0, kind.maxAttempts - 1)),
      dueAt: clock.now(),
    }),
  )

const attempt = async (parts: Parts, row: store.TaskRow, signal: AbortSignal): Promise<boolean> => {
  const { kind, open, stopping } = parts
  let settle: Settle | undefined
  // If a task kills its process, no failure is recorded. So the started attempts are counted, and such a task becomes dead, too.
  if (row.attempts > kind.maxAttempts)
    return fail(parts, { ...row, attempts: kind.maxAttempts }, new Error('the worker went away at every attempt'))
  try {
    const { id, key, createdAt, attempts } = row
    settle = await kind.handle({ id, key, createdAt, attempt: attempts, payload: open(row), signal })
  } catch (err) {
    return stopping.signal.aborted ? giveBack(parts, row) : fail(parts, row, err)
  }
  try {
    return await finish(parts, row, settle)
  } catch (err) {
    return fail(parts, row, err)
  }
}

const perform = async (parts: Parts, row: store.TaskRow): Promise<void> => {
  const { transact, log, kind, stopping } = parts
  const lost = new AbortController()
  const renew = () =>
    transact((tx) => store.updateHeld(tx, row, { dueAt: leaseEnd(parts) }))
      .then((isHeld) => {
        if (!isHeld) lost.abort()
      })
      // If extending the lease fails, nothing happens yet: the next extension may succeed before the lease ends.
      .catch((err: unknown) => log.warn({ err, task: row.id, kind: kind.kind }, 'the lease of a task could not be renewed'))
  const timer = setInterval(() => void renew(), (kind.leaseSeconds * 1000) / 3).unref()
  try {
    const isHeld = await attempt(parts, row, AbortSignal.any([stopping.signal, lost.signal]))
    if (!isHeld) log.warn({ task: row.id, kind: kind.kind }, 'task ended after its lease: another node has it')
    else log.debug({ task: row.id, kind: kind.kind, attempts: row.attempts }, 'task ended')
  } catch (err) {
    log.error({ err, task: row.id, kind: kind.kind }, 'task could not be ended and is begun again when its lease ends')
  } finally {
    clearInterval(timer)
  }
}

const claim = async (parts: Parts, limit: number): Promise<readonly store.TaskRow[]> => {
  const { transact, clock, random, kind } = parts
  try {
    return await transact((tx) =>
      store.claimTasks(tx, {
        kind: kind.kind,
        now: clock.now(),
        leaseEnd: leaseEnd(parts),
        leaseToken: random.id(),
        limit,
      }),
    )
  } catch (error) {
    // Another node has just started a task with the same key.
    if (uniqueViolation(error) !== undefined) return []
    throw error
  }
}

/**
 * Takes tasks of one kind and runs them. A node has a lease on each task that it runs, and extends the lease while the handler runs. If
 * the node dies, the lease ends, and another node starts the task again. Each start makes a new token, and only the worker with the
 * newest token can end the task.
 */
export const createWorker = (deps: Deps, work: Work): Job => {
  const parts: Parts = { ...deps, ...work, stopping: new AbortController() }
  const { transact, clock, name, kind, first, stopping } = parts
  const { leaseSeconds, everySeconds } = kind
  const capacity = () => Math.min(kind.concurrency, kind.capacity?.() ?? kind.concurrency)
  const running = new Map<store.TaskRow, Promise<void>>()
  let wake: () => void = () => undefined
  let isPrepared = everySeconds === undefined
  /** A time that is longer than any lease, and longer than periodic work ever waits. A later time in a row must come from a wrong clock. */
  const longestMs = Math.max(everySeconds ?? 0, leaseSeconds) * 1_200 + 60_000
  let datedAt = Number.NEGATIVE_INFINITY
  let isMisdated = false

  return {
    name,
    watch: {
      sql: store.nextDue(kind.kind, everySeconds !== undefined),
      isDue: (value) => {
        // The query gives no time if the row of periodic work was not created yet. Once it exists, it is never deleted.
        if (value === null) return !isPrepared
        isPrepared = true
        const dueMs = time.decode(value).getTime() - clock.now().getTime()
        isMisdated = dueMs > longestMs && performance.now() - datedAt > looksAtDatesMs
        return isMisdated || (running.size < capacity() && dueMs <= 0)
      },
    },
    onStart: (given) => {
      wake = given
    },
    run: async (stop) => {
      if (!isPrepared) await transact((tx) => store.insertOnce(tx, first()))
      isPrepared = true
      if (isMisdated) {
        datedAt = performance.now()
        isMisdated = false
        const isPeriodic = everySeconds !== undefined
        await transact((tx) => store.bringForward(tx, { kind: kind.kind, now: clock.now(), isPeriodic, longestMs }))
      }
      const free = capacity() - running.size
      if (free <= 0 || stop.aborted) return
      const rows = await claim(parts, free)
      const isFull = rows.length === free
      for (const row of rows) {
        const end = perform(parts, row).finally(() => {
          running.delete(row)
          if (isFull || row.key !== null) wake()
        })
        running.set(row, end)
      }
    },
    onStop: async (graceMs) => {
      stopping.abort()
      const ended = Promise.all(running.values())
      if (!Number.isFinite(graceMs)) return void (await ended)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([ended, late])
      clearTimeout(timer)
      await Promise.all([...running.keys()].map((row) => giveBack(parts, row)))
    },
  }
}
