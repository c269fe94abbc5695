import { ApiError } from '../../../src/http/client.ts'
import { isSignedOut, needsProof } from '../../shared/error-messages.ts'
import { waits } from './pending.ts'

/** One of many: what it is called in the report, and where it is looked at. */
export interface BulkRow<Row> {
  readonly id: string
  readonly name: string
  readonly href: string | undefined
  readonly row: Row
}

/** What became of one: done, with what followed where that is known, or refused. */
export interface Outcome<Row> {
  readonly row: BulkRow<Row>
  readonly effect?: string
  /** An `ApiError`, or the words of the server. */
  readonly error?: unknown
}

export interface RunHandle<Row> {
  /** Aborted: nothing more is begun. */
  readonly signal: AbortSignal
  readonly tell: (outcomes: readonly Outcome<Row>[]) => void
  /** True for what an earlier part of the same work came to, whatever became of it. */
  readonly isTried: (id: string) => boolean
}

/** Does it for these rows; undefined: for all that it finds by itself. It throws what ends it as a whole. */
export type Work<Row> = (rows: readonly BulkRow<Row>[] | undefined, run: RunHandle<Row>) => Promise<void>

export interface RunState<Row> {
  readonly step: 'running' | 'stopped' | 'done'
  readonly outcomes: ReadonlyMap<string, Outcome<Row>>
  /** What ended it before its time. */
  readonly error?: unknown
}

interface RunOptions<Row> {
  /** Undefined: they are found as it goes on. */
  readonly rows: readonly BulkRow<Row>[] | undefined
  readonly work: Work<Row>
  readonly onEnd: () => Promise<unknown>
}

/** Work on many rows, which begins at once and belongs to no screen. A sign-out waits for it, and the browser asks before the page is left. */
export const createRun = <Row>({ rows, work, onEnd }: RunOptions<Row>) => {
  let state: RunState<Row> = { step: 'stopped', outcomes: new Map() }
  let running = new AbortController()
  const listeners = new Set<() => void>()
  const set = (next: Partial<RunState<Row>>) => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  const hold = (event: BeforeUnloadEvent) => event.preventDefault()
  /** Begins, or begins again with some of the rows: those that were refused, or that it did not come to. */
  const start = (some: readonly BulkRow<Row>[] | undefined = rows) => {
    const control = new AbortController()
    running = control
    const outcomes = new Map(state.outcomes)
    for (const { id } of some ?? []) outcomes.delete(id)
    set({ step: 'running', outcomes, error: undefined })
    const tell: RunHandle<Row>['tell'] = (news) =>
      set({ outcomes: new Map([...state.outcomes, ...news.map((outcome) => [outcome.row.id, outcome] as const)]) })
    const isTried = (id: string) => state.outcomes.has(id)
    const run = async () => {
      let end: Partial<RunState<Row>>
      try {
        await work(some, { signal: control.signal, tell, isTried })
        end = { step: control.signal.aborted ? 'stopped' : 'done' }
      } catch (error) {
        end = { step: 'stopped', error }
      }
      forget()
      removeEventListener('beforeunload', hold)
      set(end)
      await onEnd()
    }
    addEventListener('beforeunload', hold)
    const ended = run()
    const forget = waits(() => ended)
  }
  start()
  return {
    rows,
    read: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    again: start,
    stop: () => running.abort(),
  }
}

export type Run<Row> = ReturnType<typeof createRun<Row>>

const atOnce = 4

/** Waits for the limit of the server, or until it is stopped. */
const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Makes one call for each row, a few at once. One that is refused does not stop the others; where the server has had too many calls all wait as long
 * as it says; without a session, or without the proof that it wants, the rest is not tried.
 */
export const eachRow =
  <Row>(perform: (row: Row) => Promise<unknown>, retryAfterSeconds: () => number | undefined): Work<Row> =>
  async (rows = [], { signal, tell }) => {
    const left = [...rows]
    let waiting: Promise<void> | undefined
    let end: { readonly error: unknown } | undefined
    const worker = async () => {
      while (end === undefined) {
        await waiting
        const row = signal.aborted ? undefined : left.shift()
        if (row === undefined) return
        try {
          await perform(row.row)
          tell([{ row }])
        } catch (error) {
          if (isSignedOut(error) || needsProof(error)) end = { error }
          else if (error instanceof ApiError && error.status === 429) {
            left.unshift(row)
            waiting ??= pause(retryAfterSeconds() ?? 1, signal).finally(() => {
              waiting = undefined
            })
          } else tell([{ row, error }])
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    if (end !== undefined) throw end.error
  }
