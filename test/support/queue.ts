/** Nodes on one database that only work on tasks. */
import { vi } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/core/clock.ts'
import { createSecrets } from '../../src/core/crypto.ts'
import { openDatabase, type Transact } from '../../src/core/db/database.ts'
import { createJobRunner } from '../../src/core/jobs.ts'
import { createLog } from '../../src/core/log.ts'
import { createQueue, type NewTask, type TaskKind, type TaskRow } from '../../src/core/queue.ts'
import { systemRandom } from '../../src/core/random.ts'
import { createSignals } from '../../src/core/signals.ts'
import type { TestDatabase } from './database.ts'

export type Numbered = { readonly n: number }

/** A kind of task for tests, which is retried soon. `changes` replaces some of its properties. */
export const kindOf = (handle: TaskKind<Numbered>['handle'], changes: Partial<TaskKind<Numbered>> = {}): TaskKind<Numbered> => ({
  kind: 'test',
  payload: z.object({ n: z.number() }),
  handle,
  maxAttempts: 3,
  backOffSeconds: [60, 3_600],
  leaseSeconds: 30,
  concurrency: 5,
  keepDeadSeconds: 86_400,
  ...changes,
})

export interface Node {
  readonly transact: Transact
  readonly queue: ReturnType<typeof createQueue>
  enqueue<P>(kind: TaskKind<P>, ...tasks: readonly NewTask<P>[]): Promise<readonly string[]>
  list(): Promise<readonly TaskRow[]>
  start(...kinds: readonly TaskKind<Numbered>[]): void
  stop(graceMs?: number): Promise<void>
}

/** A node on the database. It works on nothing until it is started. */
export const openNode = (place: Pick<TestDatabase, 'url' | 'pooler'>): Node => {
  const database = openDatabase({ ...place, poolMax: 4, synchronous: 'NORMAL' })
  const { db, transact } = database
  const log = createLog('silent')
  const signals = createSignals(systemRandom)
  const secrets = createSecrets(['a secret of tests, with forty-eight characters.'], systemRandom, systemClock)
  const queue = createQueue({ db, transact, clock: systemClock, random: systemRandom, secrets, signals, log })
  let stop: (graceMs?: number) => Promise<void> = async () => undefined
  return {
    transact,
    queue,
    enqueue: (kind, ...tasks) =>
      transact(async (tx) => {
        const ids: string[] = []
        for (const task of tasks) ids.push(await queue.enqueue(tx, kind, task))
        return ids
      }),
    list: async () => [...(await queue.list(db, { kind: 'test' }, 1_000))].reverse(),
    start: (...kinds) => {
      const runner = createJobRunner({ jobs: queue.jobs([queue.sweep, ...kinds]), database, signals, random: systemRandom, log })
      runner.start()
      stop = runner.stop
    },
    stop: async (graceMs) => {
      await stop(graceMs)
      await database.destroy()
    },
  }
}

/** Waits until a check of what the nodes do succeeds. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 60_000, interval: 20 })

/** A gate at which handlers wait until the test opens it. */
export const createDoor = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: () => resolve() }
}
