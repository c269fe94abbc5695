import type { z } from 'zod'
import type { Clock } from './clock.ts'
import { type Transact, type Tx, uniqueViolation } from './db/database.ts'
import { time } from './db/table.ts'
import type { Job } from './jobs.ts'
import type { Log } from './log.ts'
import * as store from './queue-store.ts'
import type { Random } from './random.ts'

/** A task for its handler. */
export interface Task<P> {
  readonly id: string
  readonly key: string | null
  readonly payload: P
  readonly createdAt: Date
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Aborted when the node stops or the lease is lost, for handlers that can end early. */
  readonly signal: AbortSignal
}

/** Writes in the transaction that ends the task, if the lease is still held. */
export type Settle = (tx: Tx) => Promise<void>

/** A kind of deferred work, done at least once. Features list their kinds in their registration. */
export interface TaskKind<P> {
  /** Lower-case words with dots and dashes. */
  readonly kind: string
  /** Uses ids of rows where the handler can read them. */
  readonly payload: z.ZodType<P>
  /** True for a payload that a copy of the database must not reveal, such as a link with a token. */
  readonly isSealed?: boolean
  /** A use case with the system as its principal. An error is a failed attempt; `FinalTaskError` allows no further one. */
  handle(task: Task<P>): Promise<Settle | undefined>
  /** Writes in the transaction of the last failed attempt. */
  onDead?(tx: Tx, task: Pick<store.TaskRow, 'id' | 'attempts' | 'details'>): Promise<void>
  /** Number of failed attempts after which the task is dead. */
  readonly maxAttempts: number
  /** Wait after the first failure in seconds, which doubles with each further one up to the second number; up to a fifth is added. */
  readonly backOffSeconds: readonly [first: number, longest: number]
  /** Length of the lease by which a node has a task; renewed while the handler runs. */
  readonly leaseSeconds: number
  /** Largest number of simultaneous tasks on a node. */
  readonly concurrency: number
  /** Number of simultaneous tasks on a node now, for tasks whose resources may be unavailable; 0 starts none. */
  capacity?(): number
  /** How long a done task stays; absent: it is deleted at once. */
  readonly keepDoneSeconds?: number
  readonly keepDeadSeconds: number
  /** Set for periodic work, which one node at a time does: the wait until its next run. It never becomes dead. */
  readonly everySeconds?: number
}

/** Wait after this number of failed attempts. It doubles, with up to a fifth added to spread the retries. */
export const backOff = (attempts: number, [first, longest]: readonly [number, number], randomByte: number): number =>
  Math.min(first * 2 ** (attempts - 1), longest) * (1 + randomByte / 1280)

/** Thrown by a handler when no further attempt can succeed: the task is dead at once. */
export class FinalTaskError extends Error {}

/** An error's message, shortened and cleaned for a column. */
const longestError = 500
const textOf = (err: unknown): string =>
  (err instanceof Error ? err.message : String(err)).replaceAll('\u0000', '').slice(0, longestError).toWellFormed()

/** How often the dates of a kind are checked when its tasks are unusually late. */
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
  /** The payload of a row. Throws for a payload that does not match the schema of its kind. */
  readonly open: (row: store.TaskRow) => unknown
  /** Id of the single row of a periodic kind. */
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

/** Releases the task for another worker, with at least one attempt left. */
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
  // A task that kills its process becomes dead like one that fails.
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
      // The next renewal, or the end of the lease, decides.
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
    // Another node has just started a task of the same key.
    if (uniqueViolation(error) !== undefined) return []
    throw error
  }
}

/**
 * Takes tasks of one kind and runs them. A node holds a task by a lease, which it extends while the handler runs; after the node's death
 * the lease ends, and another node starts the task again. Only the holder of the last lease's token can end the task.
 */
export const createWorker = (deps: Deps, work: Work): Job => {
  const parts: Parts = { ...deps, ...work, stopping: new AbortController() }
  const { transact, clock, name, kind, first, stopping } = parts
  const { leaseSeconds, everySeconds } = kind
  const capacity = () => Math.min(kind.concurrency, kind.capacity?.() ?? kind.concurrency)
  const running = new Map<store.TaskRow, Promise<void>>()
  let wake: () => void = () => undefined
  let isPrepared = everySeconds === undefined
  /** Longer than any lease, or wait of periodic work. */
  const longestMs = Math.max(everySeconds ?? 0, leaseSeconds) * 1_200 + 60_000
  let datedAt = Number.NEGATIVE_INFINITY
  let isMisdated = false

  return {
    name,
    watch: {
      sql: store.nextDue(kind.kind, everySeconds !== undefined),
      isDue: (value) => {
        // The row of periodic work stays once it exists.
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
