import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMigratedDatabase, hasSignals, type TestDatabase } from '../../support/database.ts'
import { createDoor, eventually, kindOf, type Node, type Numbered, openNode } from '../../support/queue.ts'
import { advance, hurry, resetTime } from '../../support/time.ts'

let database: TestDatabase
const nodes: Node[] = []
beforeEach(async () => {
  database = await createMigratedDatabase()
})
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop(0)
  resetTime()
  await database.drop()
})

const open = () => {
  const node = openNode(database)
  nodes.push(node)
  return node
}
const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ payload: { n } }))
const statusesOf = async (node: Node) => (await node.list()).map(({ status }) => status)

test('each of a hundred tasks runs once on two nodes', async () => {
  const ran: string[] = []
  const kindAt = (name: string) => kindOf(async ({ payload }) => void ran.push(`${name} ${payload.n}`))
  const [first, second] = [open(), open()]
  await first.enqueue(kindAt('first'), ...numbers(100))
  first.start(kindAt('first'))
  second.start(kindAt('second'))
  await eventually(async () => expect(await first.list()).toEqual([]))
  expect(ran.map((one) => Number(one.split(' ')[1])).sort((a, b) => a - b)).toEqual(numbers(100).map(({ payload }) => payload.n))
})

test('a task of a rolled-back transaction does not exist', async () => {
  const node = open()
  const kind = kindOf(async () => undefined)
  const failing = node.transact(async (tx) => {
    await node.queue.enqueue(tx, kind, { payload: { n: 1 } })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await node.list()).toEqual([])
})

test('a payload that is invalid for its kind cannot be enqueued', async () => {
  const node = open()
  const wrong = { payload: { n: 'one' } as unknown as Numbered }
  await expect(
    node.enqueue(
      kindOf(async () => undefined),
      wrong,
    ),
  ).rejects.toThrow('expected number')
})

test("a task whose worker died is started again when the worker's lease has expired, and not earlier", async () => {
  hurry()
  const [dead, living] = [open(), open()]
  const began: string[] = []
  const stuck = createDoor()
  const stuckKind = kindOf(
    async () => {
      began.push('dead')
      await stuck.passed
      return undefined
    },
    { concurrency: 1 },
  )
  await dead.enqueue(stuckKind, { payload: { n: 1 } })
  dead.start(stuckKind)
  await eventually(() => expect(began).toEqual(['dead']))
  const kind = kindOf(async ({ attempt }) => void began.push(`living ${attempt}`))
  living.start(kind)
  // The second worker works, and leaves the leased task alone.
  await living.enqueue(kind, { payload: { n: 2 } })
  await eventually(async () => expect(await statusesOf(living)).toEqual(['running']))
  expect(began).toEqual(['dead', 'living 1'])
  advance({ seconds: 31 })
  await eventually(() => expect(began).toEqual(['dead', 'living 1', 'living 2']))
  stuck.open()
})

test('a task that kills every worker becomes a dead task', async () => {
  const node = open()
  let began = 0
  const kind = kindOf(
    async () => {
      began += 1
      return new Promise<never>(() => undefined)
    },
    { maxAttempts: 2 },
  )
  await node.enqueue(kind, { payload: { n: 1 } })
  for (const attempt of [1, 2]) {
    // The worker takes one task and dies.
    const [worker] = node.queue.jobs([kind])
    await worker?.run(new AbortController().signal)
    await eventually(() => expect(began).toBe(attempt))
    advance({ seconds: 31 })
  }
  node.start(kind)
  await eventually(async () =>
    expect(await node.list()).toMatchObject([
      { status: 'dead', attempts: 2, lastError: 'the worker went away at every attempt' },
    ]),
  )
  expect(began).toBe(2)
})

test('a worker that has lost its lease cannot complete the task', async () => {
  const [slow, quick] = [open(), open()]
  const door = createDoor()
  const second = createDoor()
  const settled: string[] = []
  let began = 0
  const slowKind = kindOf(
    async () => {
      began += 1
      await door.passed
      return async () => void settled.push('slow')
    },
    { concurrency: 1 },
  )
  await slow.enqueue(slowKind, { payload: { n: 1 } })
  slow.start(slowKind)
  await eventually(() => expect(began).toBe(1))
  advance({ seconds: 31 })
  quick.start(
    kindOf(async () => {
      began += 1
      await second.passed
      return async () => void settled.push('quick')
    }),
  )
  await eventually(() => expect(began).toBe(2))
  door.open()
  await slow.stop()
  nodes.splice(nodes.indexOf(slow), 1)
  expect([settled, await statusesOf(quick)]).toEqual([[], ['running']])
  second.open()
  await eventually(async () => expect(await quick.list()).toEqual([]))
  expect(settled).toEqual(['quick'])
})

test('a lease is renewed while its handler runs', async () => {
  const node = open()
  const door = createDoor()
  const kind = kindOf(
    async () => {
      await door.passed
      return undefined
    },
    { leaseSeconds: 1 },
  )
  await node.enqueue(kind, { payload: { n: 1 } })
  node.start(kind)
  const leaseEnd = () => node.list().then(([task]) => (task?.status === 'running' ? task.dueAt.getTime() : 0))
  const before = await eventually(async () => {
    const end = await leaseEnd()
    expect(end).toBeGreaterThan(0)
    return end
  })
  await eventually(async () => expect(await leaseEnd()).toBeGreaterThan(before))
  door.open()
  await eventually(async () => expect(await node.list()).toEqual([]))
})

test('a task that always fails is retried with growing waits, becomes a dead task and delays no other task', async () => {
  hurry()
  const node = open()
  const done: number[] = []
  let failures = 0
  const kind = kindOf(async ({ payload: { n } }) => {
    if (n === 0) {
      failures += 1
      throw new Error(`no ${failures}`)
    }
    done.push(n)
    return undefined
  })
  await node.enqueue(kind, ...numbers(4))
  node.start(kind)
  for (const [attempt, least] of [
    [1, 60],
    [2, 120],
  ] as const) {
    const wait = await eventually(async () => {
      const tasks = await node.list()
      expect(tasks).toMatchObject([{ status: 'pending', attempts: attempt, lastError: `no ${attempt}` }])
      return ((tasks[0]?.dueAt.getTime() ?? 0) - Date.now()) / 1000
    })
    expect(wait).toBeGreaterThan(least - 20)
    expect(wait).toBeLessThanOrEqual(least * 1.2)
    advance({ seconds: least * 1.2 + 1 })
  }
  await eventually(async () => expect(await node.list()).toMatchObject([{ status: 'dead', attempts: 3, lastError: 'no 3' }]))
  expect(done.sort()).toEqual([1, 2, 3])
})

test('a dead task runs again when it is requeued, and is deleted when it is dropped or its retention has ended', async () => {
  hurry()
  const node = open()
  let isBroken = true
  const ran: number[] = []
  const kind = kindOf(
    async ({ payload: { n } }) => {
      if (isBroken) throw new Error('broken')
      ran.push(n)
      return undefined
    },
    { maxAttempts: 1 },
  )
  const [first = '', second = ''] = await node.enqueue(kind, ...numbers(3))
  node.start(kind)
  await eventually(async () => expect(await statusesOf(node)).toEqual(['dead', 'dead', 'dead']))
  isBroken = false
  expect(await node.transact((tx) => node.queue.requeue(tx, first, 'another kind'))).toBe(false)
  expect(await node.transact((tx) => node.queue.requeue(tx, first))).toBe(true)
  await eventually(() => expect(ran).toEqual([0]))
  expect(await node.transact((tx) => node.queue.drop(tx, second))).toBe(true)
  expect(await node.transact((tx) => node.queue.drop(tx, second))).toBe(false)
  await eventually(async () => expect(await statusesOf(node)).toEqual(['dead']))
  advance({ hours: 25 })
  await eventually(async () => expect(await statusesOf(node)).toEqual([]))
  expect(ran).toEqual([0])
})

test('tasks with the same key run one at a time and in order, with ten workers', async () => {
  hurry()
  const workers = [open(), open()]
  const [node] = workers
  if (node === undefined) return
  const running = new Set<string | null>()
  const order = new Map<string, number[]>()
  let overlaps = 0
  const kind = kindOf(
    async ({ key, payload: { n }, attempt }) => {
      if (running.has(key)) overlaps += 1
      running.add(key)
      await new Promise((resolve) => setTimeout(resolve, 2))
      running.delete(key)
      // A failed task keeps its position.
      if (n % 7 === 3 && attempt === 1) throw new Error('once')
      order.set(key ?? '', [...(order.get(key ?? '') ?? []), n])
      return undefined
    },
    { leaseSeconds: 1_000_000 },
  )
  const keys = ['a', 'b', 'c']
  for (let n = 0; n < 15; n += 1) await node.enqueue(kind, ...keys.map((key) => ({ key, payload: { n } })))
  for (const worker of workers) worker.start(kind)
  await eventually(async () => {
    advance({ seconds: 80 })
    expect(await node.list()).toEqual([])
  })
  expect(overlaps).toBe(0)
  expect([...order.entries()].sort()).toEqual(keys.map((key) => [key, numbers(15).map(({ payload }) => payload.n)]))
})

test('tasks behind a failed task of the same key wait for its retry, and run when the failed task is done or dead', async () => {
  hurry()
  const node = open()
  const done: number[] = []
  const kind = kindOf(
    async ({ payload: { n } }) => {
      if (n === 0) throw new Error('always')
      done.push(n)
      return undefined
    },
    { maxAttempts: 2 },
  )
  await node.enqueue(kind, ...numbers(3).map((task) => ({ ...task, key: 'a' })))
  node.start(kind)
  await eventually(async () => {
    const [first, ...others] = await node.list()
    expect(first).toMatchObject({ status: 'pending', attempts: 1 })
    expect(others.map(({ dueAt }) => dueAt)).toEqual([first?.dueAt, first?.dueAt])
  })
  expect(done).toEqual([])
  advance({ seconds: 80 })
  await eventually(async () => expect(await statusesOf(node)).toEqual(['dead']))
  expect(done).toEqual([1, 2])
})

test('a task does not start before its run-at time', async () => {
  hurry()
  const node = open()
  const ran: number[] = []
  const kind = kindOf(async ({ payload: { n } }) => void ran.push(n))
  node.start(kind)
  await node.enqueue(kind, { payload: { n: 1 }, runAt: new Date(Date.now() + 3_600_000) }, { payload: { n: 2 } })
  await eventually(() => expect(ran).toEqual([2]))
  advance({ hours: 1, seconds: 1 })
  await eventually(() => expect(ran).toEqual([2, 1]))
})

test('a stopping node waits for its running tasks, and releases a slow one with an attempt left', async () => {
  const node = open()
  const door = createDoor()
  const began: number[] = []
  const kind = kindOf(async ({ payload: { n }, signal }) => {
    began.push(n)
    if (n === 0) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    else await door.passed
    return undefined
  })
  await node.enqueue(kind, ...numbers(2))
  node.start({ ...kind, maxAttempts: 1 })
  await eventually(() => expect(began).toEqual([0, 1]))
  await node.stop(300)
  nodes.splice(nodes.indexOf(node), 1)
  const other = open()
  expect(await other.list()).toMatchObject([{ status: 'pending', attempts: 0, payload: '{"n":1}' }])
  door.open()
})

test('a sealed payload is unreadable in the database and readable for its handler', async () => {
  const node = open()
  const got: unknown[] = []
  const kind = kindOf(async ({ payload }) => void got.push(payload), { isSealed: true, keepDoneSeconds: 60 })
  await node.enqueue(kind, { payload: { n: 4711 } })
  const [task] = await node.list()
  expect([task?.payload?.startsWith('01'), JSON.stringify(task).includes('4711')]).toEqual([true, false])
  node.start(kind)
  await eventually(async () => expect(await node.list()).toMatchObject([{ status: 'done', payload: null }]))
  expect(got).toEqual([{ n: 4711 }])
})

test('the final writes of a handler are rolled back when the task fails', async () => {
  hurry()
  const node = open()
  let attempts = 0
  const kind = kindOf(async () => async (tx) => {
    attempts += 1
    await tx.knex('rate_limit').insert({ key: `task-${attempts}`, window_start: new Date(), count: 1 })
    if (attempts === 1) throw new Error('once')
  })
  await node.enqueue(kind, { payload: { n: 1 } })
  node.start(kind)
  await eventually(async () => expect(await node.list()).toMatchObject([{ status: 'pending', lastError: 'once' }]))
  advance({ seconds: 80 })
  await eventually(async () => expect(await node.list()).toEqual([]))
  expect(await node.transact((tx) => tx.knex('rate_limit').pluck('key'))).toEqual(['task-2'])
})

test.runIf(hasSignals)('an enqueued task wakes the other nodes at once', async () => {
  const [sender, worker] = [open(), open()]
  const ran: number[] = []
  const kind = kindOf(async ({ payload: { n } }) => void ran.push(n))
  worker.start(kind)
  const heard: number[] = []
  for (let n = 0; n < 8; n += 1) {
    const before = performance.now()
    await sender.enqueue(kind, { payload: { n } })
    await eventually(() => expect(ran).toContain(n))
    heard.push(performance.now() - before)
  }
  // Polls are a second apart, so by polling alone only the first task could start this early.
  expect(heard.filter((ms) => ms < 900).length).toBeGreaterThanOrEqual(2)
})
