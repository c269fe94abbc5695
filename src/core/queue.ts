import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { Sealed, Secrets } from './crypto.ts'
import type { Db, Transact, Tx } from './db/database.ts'
import type { Job } from './jobs.ts'
import type { Log } from './log.ts'
import type { Cursor, PlacedRows } from './page.ts'
import * as store from './queue-store.ts'
import { createWorker, type TaskKind } from './queue-worker.ts'
import type { Random } from './random.ts'
import { type Retention, retentionOfRows } from './retention.ts'
import type { Signals } from './signals.ts'
import { daySeconds } from './time.ts'

export { type ListedTask, sealedColumns, statuses, type TaskConditions, type TaskRow, type TaskStatus } from './queue-store.ts'
export { FinalTaskError, type Settle, type Task, type TaskKind } from './queue-worker.ts'

/**
 * A step of a restore. It runs in the transaction that fills the database, after all rows are inserted and all migrations have run. With
 * `isQueueHeld`, it holds back work that waits to be sent, because the instance from which the backup comes may have sent it since.
 * Returns how much it has held back, by name.
 */
export type RestoreStep = (tx: Tx, restore: { readonly isQueueHeld: boolean }) => Promise<Readonly<Record<string, number>>>

export interface NewTask<P> {
  readonly payload: P
  /**
   * Tasks with the same kind and key run one after the other, in the order in which they were enqueued. If one fails, the next ones wait
   * until it is done or dead. At most 255 characters.
   */
  readonly key?: string
  /** The task does not start before this time. */
  readonly runAt?: Date
  /**
   * What the task is about, in plain text of at most 320 characters. The feature searches its tasks by it, and operators recognise the
   * task by it.
   */
  readonly label?: string
  /** Further information about the task, which lists show. It is stored in plain text, so it must not contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The queue of background tasks. A task is enqueued in a transaction, and runs at least once after the commit. */
export interface Queue {
  /** Adds a task and returns its id. Throws if the payload does not match the schema of the kind. */
  enqueue<P>(tx: Tx, kind: TaskKind<P>, task: NewTask<P>): Promise<string>
  /** Lists stored tasks, the newest first, with the result of the last attempt. */
  list(db: Db, filter: store.TaskFilter, limit: number): Promise<readonly store.TaskRow[]>
  /** One page of the tasks that meet the conditions, without their payloads. */
  page(db: Db, conditions: store.TaskConditions, cursor: Cursor): Promise<PlacedRows<store.ListedTask>>
  /** One task, without its payload. */
  find(db: Db, id: string): Promise<store.ListedTask | undefined>
  /** The details of all stored tasks, in any state, that have this kind and label and were enqueued after `since`. */
  listDetails(db: Db, kind: string, label: string, since: Date): Promise<readonly store.TaskRow['details'][]>
  /** For each kind that has waiting tasks, the earliest time when one of them can start. */
  oldestDue(db: Db): Promise<readonly { readonly kind: string; readonly dueAt: Date }[]>
  /** Makes a dead task pending again, with no attempts. False if there is no dead task with this id, or if it is not of the given `kind`. */
  requeue(tx: Tx, id: string, kind?: string): Promise<boolean>
  /** Deletes a dead task. False if there is no dead task with this id. */
  drop(tx: Tx, id: string): Promise<boolean>
  /**
   * Runs after a restore. Tasks that nodes of the other instance were running become pending. With `isQueueHeld`, waiting tasks become
   * dead, except periodic work, because the instance from which the backup comes may have run them since. `requeue` can still start them.
   * Returns the number of tasks that were held back, by kind.
   */
  readonly onRestore: RestoreStep
  /** Deletes tasks that are done or dead and have been stored long enough. */
  readonly retention: Retention
  /** The periodic work that deletes rows which have been stored long enough. */
  readonly sweep: TaskKind<unknown>
  /** The jobs that run the tasks of the kinds on this node. */
  jobs(kinds: readonly TaskKind<unknown>[]): readonly Job[]
}

/** How long a task stays stored that was held back by a restore. */
const heldSeconds = 30 * daySeconds

const jobOf = (kind: string) => `queue.${kind}`

/** Seconds between two runs of periodic work that deletes rows. */
export const sweepSeconds = 900

/** Declares periodic work: it is repeated without end, on one node at a time. The signal that `run` receives is aborted when the node stops. */
export const periodic = (
  kind: string,
  everySeconds: number,
  run: (stop: AbortSignal) => Promise<unknown>,
): TaskKind<unknown> => ({
  kind,
  payload: z.unknown(),
  everySeconds,
  handle: async ({ signal }) => void (await run(signal)),
  maxAttempts: Number.POSITIVE_INFINITY,
  backOffSeconds: [10, everySeconds],
  leaseSeconds: 60,
  concurrency: 1,
  keepDeadSeconds: 0,
})

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  readonly signals: Signals
  readonly log: Log
}

export const createQueue = (deps: Deps): Queue => {
  const { clock, random, secrets, signals } = deps
  const rowOf = <P>(kind: TaskKind<P>, id: string, { payload, key, runAt, label, details }: NewTask<P>): store.TaskRow => {
    const text = JSON.stringify(kind.payload.parse(payload))
    const now = clock.now()
    return {
      id,
      kind: kind.kind,
      key: key ?? null,
      label: label ?? null,
      details: details ?? null,
      payload: kind.isSealed === true ? secrets.seal(text, store.sealContext(id)) : text,
      status: 'pending',
      attempts: 0,
      dueAt: runAt ?? now,
      leaseToken: null,
      lastError: null,
      createdAt: now,
      expiresAt: null,
    }
  }
  const open = (kind: TaskKind<unknown>, { id, payload }: store.TaskRow): unknown => {
    const text = kind.isSealed === true ? secrets.open(payload as Sealed, store.sealContext(id)) : (payload ?? '')
    return kind.payload.parse(JSON.parse(text))
  }
  const retention = retentionOfRows(deps, 'tasks and mails', 'that were done or given up long enough ago', () =>
    store.expiredTasks(clock.now()),
  )
  return {
    enqueue: async (tx, kind, task) => {
      const row = rowOf(kind, random.id(), task)
      const isDue = row.dueAt <= clock.now()
      await store.insertTask(tx, row, isDue ? signals.wakeWith(tx, jobOf(kind.kind)) : undefined)
      return row.id
    },
    list: store.listTasks,
    page: store.pageOfTasks,
    find: store.findListed,
    oldestDue: store.listOldestDue,
    listDetails: store.listDetails,
    onRestore: async (tx, { isQueueHeld }) => {
      await store.releaseTasks(tx)
      return isQueueHeld
        ? store.holdTasks(tx, 'held by a restore: it may have been done since the backup', clock.after(heldSeconds))
        : {}
    },
    retention,
    sweep: periodic('queue.sweep', 3_600, retention.sweep),
    requeue: async (tx, id, kind) => {
      const row = await store.findTask(tx, id)
      if (row === undefined || (kind !== undefined && row.kind !== kind)) return false
      if (!(await store.requeueDead(tx, id, row.kind, clock.now()))) return false
      await signals.wake(tx, jobOf(row.kind))
      return true
    },
    drop: store.deleteDead,
    jobs: (kinds) =>
      kinds.map((kind) =>
        createWorker(deps, {
          name: jobOf(kind.kind),
          kind,
          open: (row) => open(kind, row),
          first: () => rowOf(kind, kind.kind, { payload: null }),
        }),
      ),
  }
}
