import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startLive } from '../../../admin-ui/console/live/start.ts'
import { ApiError } from '../../../src/http/client.ts'

type Read = Parameters<typeof startLive>[0]['readText']

/** A visible page, with the members that the stream uses. */
const page = Object.assign(new EventTarget(), { hidden: false, activeElement: null, querySelector: () => null })

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', page)
  // The middle of the range from which a wait is chosen.
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Follows a server with these answers, and records after how many seconds each connection was tried. */
const follows = (answer: (attempt: number, reading: Parameters<Read>[1]) => Promise<void>) => {
  const tried: number[] = []
  const began = Date.now()
  const readText: Read = (_, reading) => {
    tried.push((Date.now() - began) / 1000)
    return answer(tried.length, reading)
  }
  const ended: string[] = []
  const stop = startLive({ readText, quietly: (begin) => begin(), isSince: () => false }, new QueryClient(), (ids) =>
    ended.push(...ids),
  )
  return { tried, ended, stop, waits: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000) }
}
/** Stays connected, and sends events of the given types on request. */
const talks = () => {
  let say: (text: string) => void = () => undefined
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 } } })
  const readText: Read = (_, { onText }) => {
    say = onText
    return new Promise(() => undefined)
  }
  const stop = startLive({ readText, quietly: (begin) => begin(), isSince: () => false }, client, () => undefined)
  return {
    stop,
    /** Shows the result of this query, and counts how often it is loaded. */
    shows: (key: string) => {
      let asked = 0
      const observer = new QueryObserver(client, { queryKey: [key], queryFn: async () => (asked += 1) })
      observer.subscribe(() => undefined)
      return () => asked
    },
    tells: (...types: readonly string[]) => {
      const events = types.map((type) => ({
        id: 'e',
        type,
        occurredAt: '',
        subjectType: '',
        subjectId: 's',
        organizationId: null,
        requestId: 'r',
      }))
      say(`id: 1\nevent: changes\ndata: ${JSON.stringify({ events })}\n\n`)
    },
    waits: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000),
  }
}
const noAnswer = async () => {
  throw new ApiError(0, 'NETWORK', 'No answer from the server')
}
const changes = 'id: 7\nevent: changes\ndata: {"events":[]}\n\n'

test('a server that does not answer is retried after twice the previous wait, up to a minute', async () => {
  const { tried, stop, waits } = follows(noAnswer)
  await waits(250)
  expect(tried).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
  stop()
  await waits(300)
  expect(tried).toHaveLength(10)
})

test('after the connection to a server that has sent an event breaks, the console soon reconnects from the same position', async () => {
  const ids: (string | undefined)[] = []
  const { tried, stop, waits } = follows(async (attempt, { headers, onText }) => {
    ids.push(headers['last-event-id'])
    if (attempt !== 4) return await noAnswer()
    onText(changes.slice(0, 20))
    onText(changes.slice(20))
  })
  await waits(12)
  expect(tried).toEqual([0, 1, 3, 7, 8, 10])
  expect(ids).toEqual([undefined, undefined, undefined, undefined, '7', '7'])
  stop()
})

test('a server that restarts its events counts as a server that has sent an event', async () => {
  const { tried, stop, waits } = follows(async (attempt, { onText }) => {
    if (attempt !== 4) return await noAnswer()
    onText('id: 9\nevent: reset\ndata: {}\n\n')
  })
  await waits(9)
  expect(tried).toEqual([0, 1, 3, 7, 8])
  stop()
})

test('a silent event connection is closed and opened again', async () => {
  const { tried, stop, waits } = follows(
    (_, { signal, onText }) =>
      new Promise((_resolve, reject) => {
        onText(changes)
        signal.addEventListener('abort', () => reject(new ApiError(0, 'NETWORK', 'No answer from the server')))
      }),
  )
  await waits(43)
  expect(tried).toEqual([0, 21, 42])
  stop()
})

test('a server with too many streams is retried once a minute, and a server that refuses is not retried', async () => {
  const { tried, stop, waits } = follows(async (attempt) => {
    throw attempt < 3
      ? new ApiError(429, 'TOO_MANY_STREAMS', 'Too many streams')
      : new ApiError(401, 'UNAUTHORIZED', 'Not signed in')
  })
  await waits(600)
  expect(tried).toEqual([0, 60, 120])
  stop()
})

test('a console page that is hidden and shown again reconnects without a wait', async () => {
  const { tried, stop, waits } = follows(noAnswer)
  const show = (hidden: boolean) => {
    Object.assign(page, { hidden })
    page.dispatchEvent(new Event('visibilitychange'))
  }
  await waits(8)
  show(true)
  await waits(100)
  expect(tried).toEqual([0, 1, 3, 7])
  show(false)
  await waits(1)
  expect(tried).toEqual([0, 1, 3, 7, 108])
  stop()
})

test('numbers of the first screen are reloaded ten seconds after an event, however many events there are', async () => {
  const { shows, tells, waits, stop } = talks()
  const statistics = shows('/admin/statistics')
  await waits(30)
  expect(statistics()).toBe(1)
  tells('session.started')
  await waits(9)
  expect(statistics()).toBe(1)
  await waits(1)
  expect(statistics()).toBe(2)
  for (let second = 0; second < 60; second += 1) {
    tells('session.started', 'user.created')
    await waits(1)
  }
  expect(statistics()).toBe(8)
  stop()
})

test('checks run again a minute after an event that they may report, and after no other event', async () => {
  const { shows, tells, waits, stop } = talks()
  const checks = shows('/admin/health')
  tells('session.started', 'user.created', 'client.updated')
  await waits(120)
  expect(checks()).toBe(1)
  tells('mail.given_up')
  await waits(59)
  expect(checks()).toBe(1)
  await waits(1)
  expect(checks()).toBe(2)
  tells('mail.given_up')
  stop()
  await waits(120)
  expect(checks()).toBe(2)
})
