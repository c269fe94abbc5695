import type { z } from 'zod'
import type { Clock } from './clock.ts'
import { type Transact, type Tx, uniqueViolation } from './db/database.ts'
import { time } from './db/table.ts'
import type { Job } from './jobs.ts'
import type { Log } from './log.ts'
import * as store from './queue-store.ts'
import type { Random } from './random.ts'

/** A task as its handler gets it. */
export interface Task<P> {
  readonly id: string
  readonly key: string | null
  readonly payload: P
  readonly createdAt: Date
  /** 1 at the first attempt. */
  readonly attempt: number
  /** Aborted when the node stops or the lease is lost: handlers that can, end early. */
  readonly signal: AbortSignal
}

/** Writes that end together with the task, in one transaction, and only while the lease holds. */
export type Settle = (tx: Tx) => Promise<void>

/** A kind of work that is done later, at least once. A feature lists its kinds where it registers. */
export interface TaskKind<P> {
  /** Words in small letters with dots and dashes between them. */
  readonly kind: string
  /** Refers to rows by id where the handler can read them. */
  readonly payload: z.ZodType<P>
  /** The payload holds what must not be read in a copy of the database, such as a link with a token. */
  readonly isSealed?: boolean
  /** A use case with the system as its principal. An error counts as a failed attempt; after a `FinalTaskError` there is no other. */
  handle(task: Task<P>): Promise<Settle | undefined>
  /** Writes that belong to the end of a task that failed for the last time, in one transaction with it. */
  onDead?(tx: Tx, task: Pick<store.TaskRow, 'id' | 'attempts' | 'details'>): Promise<void>
  /** Number of failed attempts after which the task is dead. */
  readonly maxAttempts: number
  /** Wait after the first failure in seconds, which doubles with each further one up to the second number; up to a fifth is added. */
  readonly backOffSeconds: readonly [first: number, longest: number]
  /** Length of the lease by which a node has a task; renewed while the handler runs. */
  readonly leaseSeconds: number
  /** How many of them one node runs at a time. */
  readonly concurrency: number
  /** The number of tasks that one node runs at a time at present, for tasks whose resources may be away; 0: no task begins. */
  capacity?(): number
  /** How long a finished task is kept; absent: not at all. */
  readonly keepDoneSeconds?: number
  readonly keepDeadSeconds: number
  /** Set for periodic work, which one node at a time does: the wait until it is due again. It never becomes dead. */
  readonly everySeconds?: number
}

/** Wait after the given number of failed attempts: doubling, with up to a fifth more so that retries are spread. */
export const backOff = (attempts: number, [first, longest]: readonly [number, number], randomByte: number): number =>
  Math.min(first * 2 ** (attempts - 1), longest) * (1 + randomByte / 1280)

/** Thrown by a handler that no further attempt can help: the task is dead at once. */
export class FinalTaskError extends Error {}

/** Words of others, as a column takes them. */
const longestError = 500
const textOf = (err: unknown): string =>
  (err instanceof Error ? err.message : String(err)).replaceAll('\u0000', '').slice(0, longestError).toWellFormed()

/** How often a task that is due unusually late has the dates of its kind looked at. */
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
  /** The payload of a row. Throws when it is not what the kind says. */
  readonly open: (row: store.TaskRow) => unknown
  /** The one row of a periodic kind. */
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

/** Frees the task for the next worker, with at least one attempt left. */
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
    // Another node has begun a task of the same key at this moment.
    if (uniqueViolation(error) !== undefined) return []
    throw error
  }
}

/**
 * Takes tasks of one kind and runs them. A node has a task by a lease, which it renews while the handler runs; when the node dies the
 * lease ends and another one begins the task again. Only who holds the token of the last lease ends the task.
 */
export const createWorker = (deps: Deps, work: Work): Job => {
  const parts: Parts = { ...deps, ...work, stopping: new AbortController() }
  const { transact, clock, name, kind, first, stopping } = parts
  const { leaseSeconds, everySeconds } = kind
  const capacity = () => Math.min(kind.concurrency, kind.capacity?.() ?? kind.concurrency)
  const running = new Map<store.TaskRow, Promise<void>>()
  let wake: () => void = () => undefined
  let isPrepared = everySeconds === undefined
  /** No lease, and no wait of periodic work, is longer. */
  const longestMs = Math.max(everySeconds ?? 0, leaseSeconds) * 1_200 + 60_000
  let datedAt = Number.NEGATIVE_INFINITY
  let isMisdated = false

  return {
    name,
    watch: {
      sql: store.nextDue(kind.kind, everySeconds !== undefined),
      isDue: (value) => {
        // The row of periodic work is there for ever once a run has made it.
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
