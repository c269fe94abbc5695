import { setTimeout as pause } from 'node:timers/promises'
import { type Database, readPrepared } from './db/database.ts'
import type { Log } from './log.ts'
import type { Random } from './random.ts'
import type { Signals } from './signals.ts'

/**
 * A query that shows whether a job has work. Once a second, the queries of all jobs are sent as one prepared statement, so that one more
 * watch does not cost one more round trip.
 */
export interface Watch {
  /**
   * A `select` of one value, without parameters. It must read only an index or a small table. The text must not change while the process
   * runs.
   */
  readonly sql: string
  /**
   * True if the job has to run now. Called once a second with the selected value. When absent: the job runs if the value differs from the
   * value at its last successful run.
   */
  isDue?(value: unknown): boolean
}

/** Background work that runs on every node. `run` reserves its work in the database, so that any number of nodes may run it at the same time. */
export interface Job {
  readonly name: string
  /** Longest time between two runs. When absent: only the watch of the job, or a signal, starts a run. */
  readonly everyMs?: number
  readonly watch?: Watch
  /** Does the work. Returns `true` if it should run again at once. After `stop` is aborted, it must not begin further work. */
  run(stop: AbortSignal): Promise<unknown>
  /** Called when the node starts. `wake` runs the job at once on this node; to run it on the other nodes, too, use `Signals.wake`. */
  onStart?(wake: () => void): void
  /** Called once, after the last run. Waits for work that `run` has started but not awaited, at most `graceMs`. */
  onStop?(graceMs: number): Promise<void>
}

export interface JobRunner {
  start(): void
  /** Starts no further runs, and waits for the runs under way. After `graceMs` it aborts those that can be aborted. */
  stop(graceMs?: number): Promise<void>
}

interface Deps {
  readonly jobs: readonly Job[]
  readonly database: Pick<Database, 'db' | 'listen'>
  readonly signals: Signals
  readonly random: Random
  readonly log: Log
}

/** Time between two polls of the watches. Up to half of it is added at random, so that nodes do not poll at the same moment. */
const pollMs = 1_000
/**
 * At the start of the node, jobs run one after the other. If the first run of a job takes longer than this, the next job does not wait
 * for it.
 */
const beginMs = 1_000
/** Time after which a job without `everyMs` is repeated after a failure. */
const retryMs = 1_000

/**
 * Runs the jobs. When the node starts, each job that has work runs, one after the other, so that requests to the new node still get
 * connections. Afterwards there are three reasons for a run: `everyMs` has passed since the last run, the watch shows work, or a signal
 * names the job. If a run fails, the failure is logged and the run is repeated. On PostgreSQL, signals of other nodes arrive on one
 * listening connection. While that connection is broken, polls still find the work.
 */
export const createJobRunner = ({ jobs, database, signals, random, log }: Deps): JobRunner => {
  const { db } = database
  const running = new Map<string, Promise<void>>()
  const begun = new Set<string>()
  const timers = new Map<string, NodeJS.Timeout>()
  const woken = new Set<string>()
  const seen = new Map<string, string>()
  const stop = new AbortController()
  const watched = jobs.flatMap(({ name, watch }, index) => (watch === undefined ? [] : [{ name, watch, column: `w${index}` }]))
  const question = `select ${watched.map(({ watch, column }) => `(${watch.sql}) as ${column}`).join(', ')}`

  const schedule = (name: string, delayMs: number, work: () => Promise<void>) => {
    if (stop.signal.aborted) return
    clearTimeout(timers.get(name))
    timers.set(name, setTimeout(() => running.set(name, work()), delayMs).unref())
  }

  const run = async (job: Job, value?: string) => {
    const { name, everyMs } = job
    begun.add(name)
    woken.delete(name)
    let delayMs = everyMs
    try {
      if ((await job.run(stop.signal)) === true) delayMs = 0
      if (value !== undefined) seen.set(name, value)
    } catch (err) {
      log.error({ err, job: name }, 'job failed')
      delayMs = everyMs ?? retryMs
    }
    running.delete(name)
    if (woken.has(name)) delayMs = 0
    if (delayMs !== undefined) start(job, delayMs)
  }
  const start = (job: Job, delayMs: number, value?: string) => schedule(job.name, delayMs, () => run(job, value))
  const wake = (job: Job) => {
    if (running.has(job.name)) woken.add(job.name)
    else start(job, 0)
  }

  const byName = new Map(jobs.map((job) => [job.name, job]))
  const columnOf = new Map(watched.map(({ name, column }) => [name, column]))
  const ask = async () => (await readPrepared(db, { name: 'jobs.poll', sql: question }, []))[0] ?? {}
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
  const poll = async () => {
    try {
      const answer = await ask()
      for (const { name, watch, column } of watched) {
        const job = byName.get(name)
        if (job === undefined || running.has(name)) continue
        const value = answer[column]
        const text = textOf(value)
        if (watch.isDue === undefined ? seen.get(name) !== text : watch.isDue(value)) start(job, 0, text)
      }
    } catch (err) {
      log.error({ err, job: 'poll' }, 'job failed')
    }
    running.delete('poll')
    schedule('poll', pollMs + ((random.bytes(1)[0] ?? 0) / 512) * pollMs, poll)
  }
  const pollNow = () => {
    if (watched.length > 0 && !running.has('poll') && !running.has('begin')) schedule('poll', 0, poll)
  }

  /** The first poll shows which jobs have no work. If that poll fails, every job runs. */
  const firstAnswer = async (): Promise<Readonly<Record<string, unknown>> | undefined> => {
    try {
      return watched.length === 0 ? {} : await ask()
    } catch (err) {
      log.error({ err, job: 'poll' }, 'job failed')
      return undefined
    }
  }
  const begin = async () => {
    const answer = await firstAnswer()
    // Listening begins before the first runs, because such a run may take long. Meanwhile, a signal of another node can start a job
    // before its turn.
    listen()
    for (const job of jobs) {
      const { name, watch, everyMs } = job
      if (stop.signal.aborted) return
      // A signal has already started the job.
      if (begun.has(name) || running.has(name)) continue
      const value = answer?.[columnOf.get(name) ?? '']
      if (answer !== undefined && everyMs === undefined && watch?.isDue?.(value) === false) continue
      clearTimeout(timers.get(name))
      const first = run(job, answer === undefined || watch === undefined ? undefined : textOf(value))
      running.set(name, first)
      await Promise.race([first, pause(beginMs, undefined, { ref: false })])
    }
  }
  const onSignal = (name: string) => {
    const job = byName.get(name)
    if (job !== undefined) wake(job)
  }

  let listening: { close(): Promise<void> } | undefined
  let unlisten = () => {}
  const listen = () => {
    if (stop.signal.aborted) return
    listening = database.listen({
      // Signals that were sent while nothing listened are lost, so a poll looks for their work.
      onConnected: pollNow,
      onSignal: (text) => {
        const { job, isOwn } = signals.read(text)
        if (!isOwn) onSignal(job)
      },
    })
  }
  return {
    start: () => {
      for (const job of jobs) job.onStart?.(() => wake(job))
      unlisten = signals.onLocal(onSignal)
      running.set(
        'begin',
        begin().then(() => {
          running.delete('begin')
          pollNow()
        }),
      )
    },
    stop: async (graceMs = Number.POSITIVE_INFINITY) => {
      const isFirst = !stop.signal.aborted
      stop.abort()
      unlisten()
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all([listening?.close(), ...running.values()])
      if (isFirst) await Promise.all(jobs.map((job) => job.onStop?.(graceMs)))
    },
  }
}
