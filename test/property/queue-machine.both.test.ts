import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts'
import { eventually, kindOf, type Node, openNode } from '../support/queue.ts'
import { runs } from '../support/runs.ts'
import { advance, resetTime } from '../support/time.ts'

const maxAttempts = 4

let database: TestDatabase
let node: Node
beforeAll(async () => {
  database = await createMigratedDatabase()
  node = openNode(database)
})
afterAll(async () => {
  await node.stop()
  resetTime()
  await database.drop()
})

type Outcome = 'done' | 'fail' | 'crash'
type Step =
  | { readonly do: 'enqueue'; readonly key: string | undefined; readonly later: boolean; readonly isRolledBack: boolean }
  | { readonly do: 'work'; readonly outcomes: readonly Outcome[] }
  | { readonly do: 'wait'; readonly seconds: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('enqueue' as const),
      key: fc.constantFrom(undefined, 'a', 'b'),
      later: fc.boolean(),
      isRolledBack: fc.nat(9).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      outcomes: fc.array(fc.constantFrom<Outcome>('done', 'done', 'fail', 'crash'), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(5, 31, 200) }) },
)

test('no sequence of tasks, failures and dead workers loses a task or runs tasks of one key out of order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const done: number[] = []
      const attempts = new Map<number, number>()
      const committed = new Map<number, { readonly key: string | undefined; readonly id: string }>()
      let running = 0

      /** A worker that takes as many tasks as there are outcomes, and then dies. */
      const work = async (outcomes: readonly Outcome[]) => {
        const script = [...outcomes]
        const kind = kindOf(
          async ({ payload: { n } }) => {
            const outcome = script.shift() ?? 'done'
            attempts.set(n, (attempts.get(n) ?? 0) + 1)
            if (outcome === 'crash') return new Promise<never>(() => undefined)
            running += 1
            try {
              if (outcome === 'fail') throw new Error('failed')
              return async () => void done.push(n)
            } finally {
              running -= 1
            }
          },
          { concurrency: outcomes.length, maxAttempts, keepDeadSeconds: 1e9 },
        )
        const job = node.queue.jobs([kind]).find(({ name }) => name === 'queue.test')
        await job?.run(AbortSignal.timeout(60_000))
        await settled()
      }
      /** Waits until only dead workers hold tasks. */
      const settled = () => eventually(() => expect(running).toBe(0))

      for (const [n, one] of steps.entries()) {
        if (one.do === 'wait') advance({ seconds: one.seconds })
        else if (one.do === 'work') await work(one.outcomes)
        else {
          const { key, later, isRolledBack } = one
          const task = {
            payload: { n },
            ...(key === undefined ? {} : { key }),
            ...(later ? { runAt: new Date(Date.now() + 20_000) } : {}),
          }
          const enqueued = node.transact(async (tx) => {
            const id = await node.queue.enqueue(
              tx,
              kindOf(async () => undefined),
              task,
            )
            if (isRolledBack) throw new Error('rolled back')
            return id
          })
          const id = await enqueued.catch(() => undefined)
          if (id !== undefined) committed.set(n, { key, id })
        }
      }
      // Moves the clock past every lease, back-off and start time.
      for (let round = 0; round < 200; round += 1) {
        if ((await node.list()).every(({ status }) => status === 'dead')) break
        advance({ seconds: 300 })
        await work(['done', 'done', 'done'])
      }

      const dead = await node.list()
      const deadNumbers = dead.map(({ payload }) => (JSON.parse(payload ?? '') as { n: number }).n)
      expect([...done, ...deadNumbers].sort((a, b) => a - b)).toEqual([...committed.keys()])
      for (const row of dead) expect(row).toMatchObject({ status: 'dead', attempts: maxAttempts })
      for (const key of ['a', 'b']) {
        const order = done.filter((n) => committed.get(n)?.key === key)
        expect(order).toEqual([...order].sort((a, b) => a - b))
      }
      await node.transact(async (tx) => {
        for (const { id } of dead) await node.queue.drop(tx, id)
      })
    }),
    { numRuns: runs },
  )
})
