import { ApiError } from '../../../src/http/client.ts'
import { isSignedOut, needsProof } from '../../shared/refusals.ts'
import { waits } from './pending.ts'

/** A row that the bulk action handles. `name` and `href` are how the report names and links the row. */
export interface BulkRow<Row> {
  readonly id: string
  readonly name: string
  readonly href: string | undefined
  readonly row: Row
}

/** The result of a row. If `error` is absent, the row is finished, and `effect` may say what changed. */
export interface Outcome<Row> {
  readonly row: BulkRow<Row>
  readonly effect?: string
  /** Why the row was not finished: an `ApiError`, or a text from the server. */
  readonly error?: unknown
}

export interface RunHandle<Row> {
  /** Aborted when no further call may be started. */
  readonly signal: AbortSignal
  readonly tell: (outcomes: readonly Outcome<Row>[]) => void
  /** True for rows that this bulk action has already handled, with success or not. */
  readonly isTried: (id: string) => boolean
}

/** Handles the given rows. If `rows` is undefined, the function finds the rows itself. If it throws, the whole bulk action ends. */
export type Work<Row> = (rows: readonly BulkRow<Row>[] | undefined, run: RunHandle<Row>) => Promise<void>

export interface RunState<Row> {
  readonly step: 'running' | 'stopped' | 'done'
  readonly outcomes: ReadonlyMap<string, Outcome<Row>>
  /** The error that made the bulk action end early. */
  readonly error?: unknown
}

interface RunOptions<Row> {
  /** The rows to handle. Undefined if `work` finds the rows itself. */
  readonly rows: readonly BulkRow<Row>[] | undefined
  readonly work: Work<Row>
  readonly onEnd: () => Promise<unknown>
}

/**
 * Runs a bulk action on many rows. It starts at once and continues when the person leaves the screen. Signing out waits until it has
 * ended, and the browser asks before it closes the page.
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
  /** Starts the bulk action. With `some`, it runs again for some rows only: for refused rows, or for rows that it had not reached. */
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

/** Waits for the given number of seconds, or until `signal` is aborted. */
const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Makes a call for each row, a few at the same time. A refused call does not stop the other calls. After the status 429, all calls wait
 * as long as the server says. If the session has ended or the server wants a proof of identity, the remaining rows are skipped.
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
