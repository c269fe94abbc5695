import { ApiError } from '../../../src/http/client.ts'
import { isSignedOut, needsProof } from '../../shared/refusals.ts'
import { waits } from './pending.ts'

/** A row of the work: its name in the report, and its address. */
export interface BulkRow<Row> {
  readonly id: string
  readonly name: string
  readonly href: string | undefined
  readonly row: Row
}

/** The result of a row: done, with its effect if known, or refused with an error. */
export interface Outcome<Row> {
  readonly row: BulkRow<Row>
  readonly effect?: string
  /** An `ApiError`, or the server's text. */
  readonly error?: unknown
}

export interface RunHandle<Row> {
  /** Aborted when no further call may begin. */
  readonly signal: AbortSignal
  readonly tell: (outcomes: readonly Outcome<Row>[]) => void
  /** True for rows that an earlier part of the same work has handled, with any result. */
  readonly isTried: (id: string) => boolean
}

/** Handles the given rows. If `rows` is undefined, it finds the rows itself. An error ends the whole work. */
export type Work<Row> = (rows: readonly BulkRow<Row>[] | undefined, run: RunHandle<Row>) => Promise<void>

export interface RunState<Row> {
  readonly step: 'running' | 'stopped' | 'done'
  readonly outcomes: ReadonlyMap<string, Outcome<Row>>
  /** The error that ended the work early. */
  readonly error?: unknown
}

interface RunOptions<Row> {
  /** Undefined if the work finds its rows itself. */
  readonly rows: readonly BulkRow<Row>[] | undefined
  readonly work: Work<Row>
  readonly onEnd: () => Promise<unknown>
}

/**
 * Work on many rows, which starts at once and continues when the screen is left. A sign-out waits for its end, and the browser asks
 * before the page is closed.
 */
export const createRun = <Row>({ rows, work, onEnd }: RunOptions<Row>) => {
  let state: RunState<Row> = { step: 'stopped', outcomes: new Map() }
  let running = new AbortController()
  const listeners = new Set<() => void>()
  const set = (next: Partial<RunState<Row>>) => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  const hold = (event: BeforeUnloadEvent) => event.preventDefault()
  /** Starts the work, or repeats it for some rows: the refused rows, or the rows that were not reached. */
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

/** Waits for the given seconds, or until the work is stopped. */
const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Makes a call for each row, a few at the same time. A refused call does not stop the others. After the status 429, all calls wait as
 * long as the server says. If the session has ended or the server wants a proof of identity, the remaining rows are left.
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
