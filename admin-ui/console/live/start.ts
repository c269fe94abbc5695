import type { Query, QueryClient } from '@tanstack/react-query'
import { auditContract } from '../../../src/audit/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { ConsoleApi } from '../api.ts'
import { hold, setLive, touched } from '../shared/live.ts'
import type { Answered, Told } from './matches.ts'
import { exportEnded, isAffected, summaries, summedUp, touchedByEvent } from './matches.ts'

/** Shortest time between two refreshes of the screen, in milliseconds. */
const refetchMs = 1_000
/**
 * A connection counts as broken when no message has arrived for this time, in milliseconds. The server sends a message at least every
 * five seconds.
 */
const silentMs = 20_000
/** How many events are compared with the responses one by one. If there are more, everything is requested again. */
const mostEvents = 1_000
const [firstWaitMs, longestWaitMs] = [1_000, 60_000]

type LiveApi = Pick<ConsoleApi, 'isSince' | 'readText' | 'quietly'>

const isTextField = (element: Element | null) =>
  element?.matches('input:not([type=search], [type=checkbox], [type=radio]), textarea, select, [contenteditable]') === true &&
  element.closest('.filters') === null

/** True while a person fills in a form or confirms a change. Data on the screen must not change meanwhile. */
const isBusy = (): boolean =>
  isTextField(document.activeElement) ||
  document.querySelector('[role=dialog], [role=alertdialog], dialog[open]') !== null ||
  [...touched].some((element) => element.isConnected)

interface RefetchOptions {
  readonly everyMs: number
  /**
   * True for statistics, which the server counts some time after an event. They are refreshed a whole interval after the first event, not
   * at once.
   */
  readonly isLate?: boolean
  readonly matches: (query: Answered, events: readonly Told[]) => boolean
}

/** Refreshes the changed data on the screen, at most once in `everyMs` and not while somebody fills in a form. */
const createRefetch = (api: LiveApi, client: QueryClient, { everyMs, isLate = false, matches }: RefetchOptions) => {
  let events: Told[] = []
  let isEverything = false
  let timer: number | undefined
  let last = 0
  const flush = () => {
    timer = undefined
    if (isBusy()) return plan()
    last = Date.now()
    const [some, all] = [events, isEverything]
    events = []
    isEverything = false
    const predicate = ({ queryKey, state: { data } }: Query) => all || matches({ queryKey, data }, some)
    for (const { queryHash, state } of client.getQueryCache().findAll({ type: 'active', predicate }))
      if (state.data !== undefined) hold(queryHash, state.data)
    api.quietly(() => void client.invalidateQueries({ predicate }))
  }
  const plan = () => {
    const waitMs = isLate ? everyMs : last + everyMs - Date.now()
    timer ??= window.setTimeout(flush, Math.max(isBusy() ? refetchMs : 0, waitMs))
  }
  return {
    changed: (some: readonly Told[]) => {
      events.push(...some)
      // A form can be open for hours. Once there are too many events, they are dropped and everything counts as changed.
      if (events.length > mostEvents) [events, isEverything] = [[], true]
      if (some.length > 0) plan()
    },
    everything: () => {
      isEverything = true
      plan()
    },
    stop: () => clearTimeout(timer),
  }
}

interface Message {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
}

/** Returns a function that takes a server-sent event stream in pieces, and calls `onMessage` for each complete message. */
const createParser = (onMessage: (message: Message) => void) => {
  let rest = ''
  return (text: string) => {
    const parts = (rest + text).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
      onMessage({ id: field('id'), event: field('event'), data: field('data') })
    }
  }
}

/**
 * Follows the server's event stream while the page is visible, and refreshes the screen. `onExports` receives the ids of ended exports,
 * including other people's exports. Returns a function that stops following.
 */
export const startLive = (api: LiveApi, client: QueryClient, onExports: (ids: readonly string[]) => void): (() => void) => {
  const isSummary = ({ queryKey: [first] }: Answered) => summaries.some(({ key }) => key === first)
  const refetch = createRefetch(api, client, {
    everyMs: refetchMs,
    matches: (query, events) =>
      !isSummary(query) &&
      // The page has made this change itself and requests the affected data when the call ends, so the event about the change is ignored.
      events.some((event) => !api.isSince(event.requestId, query.data) && isAffected(query, touchedByEvent(event))),
  })
  const late = summaries.map((summary) => {
    const { key, everyMs } = summary
    const summed = createRefetch(api, client, { everyMs, isLate: true, matches: ({ queryKey: [first] }) => first === key })
    return { ...summed, changed: (events: readonly Told[]) => summed.changed(summedUp(summary, events)) }
  })
  let lastId: string | undefined
  let waitMs = firstWaitMs
  let connection: AbortController | undefined
  let timer: number | undefined

  const told = (events: readonly Told[]) => {
    for (const one of [refetch, ...late]) one.changed(events)
    const exports = events.filter(({ type }) => type === exportEnded).map(({ subjectId }) => subjectId)
    if (exports.length > 0) onExports(exports)
  }
  const disconnect = () => {
    clearTimeout(timer)
    connection?.abort()
    connection = undefined
    setLive(false)
  }
  const later = (ms: number) => {
    disconnect()
    timer = window.setTimeout(() => void connect(), ms * (0.75 + Math.random() / 2))
  }
  const connect = async () => {
    if (document.hidden || connection !== undefined) return
    const own = new AbortController()
    connection = own
    let silence: number | undefined
    let isOver = false
    const awaken = () => {
      clearTimeout(silence)
      silence = window.setTimeout(() => own.abort(), silentMs)
    }
    const parse = createParser(({ id, event, data }) => {
      if (id !== undefined) lastId = id
      // Messages of any other type only show that the connection is alive.
      if (event !== 'changes' && event !== 'reset') return
      waitMs = firstWaitMs
      setLive(true)
      if (event === 'reset') refetch.everything()
      else told(JSON.parse(data ?? '{}').events)
    })
    awaken()
    try {
      await api.readText(auditContract.streamEvents, {
        headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
        signal: own.signal,
        onText: (text) => {
          awaken()
          parse(text)
        },
      })
    } catch (error) {
      // The person has signed out or lost the permission to read events. The next call of a screen will show this.
      isOver = error instanceof ApiError && [401, 403].includes(error.status)
      if (error instanceof ApiError && error.code.startsWith('TOO_MANY_')) waitMs = longestWaitMs
    }
    clearTimeout(silence)
    // A newer connection has replaced this connection, or the page is hidden, so nothing is opened again here.
    if (connection !== own) return
    disconnect()
    if (isOver) return
    later(waitMs)
    waitMs = Math.min(longestWaitMs, waitMs * 2)
  }
  const onVisibility = () => {
    if (document.hidden) disconnect()
    else void connect()
  }
  const onInput = ({ target }: Event) => {
    if (target instanceof Element && target.closest('form') !== null && target.closest('.filters, [type=search]') === null)
      touched.add(target)
  }
  document.addEventListener('visibilitychange', onVisibility)
  document.addEventListener('input', onInput)
  void connect()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    document.removeEventListener('input', onInput)
    for (const one of [refetch, ...late]) one.stop()
    disconnect()
  }
}
