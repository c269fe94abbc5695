import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHashQueue, type Requester } from '../../src/core/hash-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const stranger = (network: string): Requester => ({ isKnown: false, network })
const known = (network: string): Requester => ({ isKnown: true, network })

/** One slow core, where a hash takes `ms`. Records the served and refused requests in order. */
const slowCore = (ms: number, waiting = 64) => {
  const queue = createHashQueue({ running: 1, waiting, deadlineMs: 10_000 })
  const served: string[] = []
  const refused: string[] = []
  const ask = (name: string, requester: Requester) =>
    queue(requester, () => new Promise<void>((resolve) => setTimeout(resolve, ms))).then(
      () => void served.push(name),
      () => {
        refused.push(name)
        // Retries after the time of `Retry-After`.
        return new Promise((resolve) => setTimeout(resolve, 2_000))
      },
    )
  return { served, refused, ask }
}
const several = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`)

test('thirty-two users who sign in at once on one slow core are all served', async () => {
  const { served, refused, ask } = slowCore(300)
  for (const name of several(32, 'p')) ask(name, stranger('198.51.100'))
  await vi.runAllTimersAsync()
  expect([served, refused]).toEqual([several(32, 'p'), []])
})

test('no request waits longer for a hash than the deadline, and the places of expired requests are free', async () => {
  const { served, refused, ask } = slowCore(3_000, 4)
  for (const name of several(5, 'p')) ask(name, stranger('198.51.100'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(refused).toEqual(['p4'])
  ask('later', stranger('198.51.100'))
  await vi.runAllTimersAsync()
  expect(served).toEqual(['p0', 'p1', 'p2', 'p3', 'later'])
})

test('a known browser is served before all unknown browsers, and takes the place of an unknown browser when the queue is full', async () => {
  const { served, refused, ask } = slowCore(10, 3)
  for (const name of several(4, 's')) ask(name, stranger(`network ${name}`))
  ask('owner', known('home'))
  await vi.runAllTimersAsync()
  expect([served, refused]).toEqual([['s0', 'owner', 's1', 's2'], ['s3']])
})

test('a network that fills the queue does not delay others: other networks take turns with it and take places of its requests', async () => {
  const { served, refused, ask } = slowCore(10, 5)
  for (const name of several(9, 'bot')) ask(name, stranger('203.0.113'))
  for (const name of several(2, 'p')) ask(name, stranger('198.51.100'))
  await vi.runAllTimersAsync()
  expect(served).toEqual(['bot0', 'p0', 'bot1', 'p1', 'bot2', 'bot3'])
  expect(refused).toEqual(['bot6', 'bot7', 'bot8', 'bot5', 'bot4'])
})

test('known browsers of one network take turns with known browsers of other networks', async () => {
  const { served, ask } = slowCore(10)
  for (const name of several(4, 'bot')) ask(name, known('203.0.113'))
  ask('owner', known('198.51.100'))
  await vi.runAllTimersAsync()
  expect(served).toEqual(['bot0', 'owner', 'bot1', 'bot2', 'bot3'])
})

/** A client that sends its next request as soon as it is answered. */
const insists = (ask: (name: string, requester: Requester) => Promise<unknown>, name: string, requester: Requester): void => {
  void ask(name, requester).then(() => insists(ask, name, requester))
}

test('networks that send requests without a pause still leave other networks their turn', async () => {
  const { served, refused, ask } = slowCore(100)
  for (const name of several(8, 'p')) ask(name, stranger('198.51.100'))
  for (const network of several(3, 'bot')) insists(ask, network, stranger(network))
  await vi.advanceTimersByTimeAsync(9_900)
  expect(served).toEqual(expect.arrayContaining(several(8, 'p')))
  expect(refused).toEqual([])
})

test('known browsers that send requests without a pause leave unknown browsers a quarter of the turns and places', async () => {
  const { served, refused, ask } = slowCore(100)
  for (let n = 0; n < 70; n += 1) insists(ask, 'bot', known('203.0.113'))
  for (const name of several(16, 's')) ask(name, stranger('198.51.100'))
  await vi.advanceTimersByTimeAsync(9_900)
  expect(served.filter((name) => name.startsWith('s'))).toEqual(several(16, 's'))
  expect(refused.filter((name) => name !== 'bot')).toEqual([])
})

test('an owner in a known browser is served while hundreds of networks sign in to accounts of their own without a pause', async () => {
  const { served, ask } = slowCore(100)
  for (const network of several(300, 'bot')) insists(ask, network, known(network))
  await vi.advanceTimersByTimeAsync(60_000)
  ask('owner', known('home'))
  await vi.advanceTimersByTimeAsync(9_900)
  expect(served).toContain('owner')
})
