import { type Database, readPrepared } from './db/database.ts'
import type { Log } from './log.ts'
import type { Random } from './random.ts'
import type { Signals } from './signals.ts'

/**
 * A question to the database that says whether a job has something to do. The questions of all jobs travel in one prepared statement a
 * second: a watch costs no round trip of its own.
 */
export interface Watch {
  /** Selects one value. Has no parameters, is the same text for the life of the process, and is answered from an index or a small table. */
  readonly sql: string
  /** True when the job has to run now; asked again at each poll. Absent: the job runs when the value differs from that of its last successful run. */
  isDue?(value: unknown): boolean
}

/** Work of a node's own. `run` claims what it does in the database, so that any number of nodes may run it. */
export interface Job {
  readonly name: string
  /** Longest time between two runs; absent where a watch or `Signals.wake` alone says when to run. */
  readonly everyMs?: number
  readonly watch?: Watch
  /** `true` asks for another run at once. Claims nothing new once `stop` is aborted. */
  run(stop: AbortSignal): Promise<unknown>
  /** Called at start with a function that runs the job at once on this node. `Signals.wake` reaches the other nodes as well. */
  onStart?(wake: () => void): void
  /** Waits for what `run` left under way, `graceMs` at most. Called once, when no run is under way any more. */
  onStop?(graceMs: number): Promise<void>
}

export interface JobRunner {
  start(): void
  /** Starts no run any more and waits for those under way; gives up what still runs after `graceMs` where the job can. */
  stop(graceMs?: number): Promise<void>
}

interface Deps {
  readonly jobs: readonly Job[]
  readonly database: Pick<Database, 'db' | 'listen'>
  readonly signals: Signals
  readonly random: Random
  readonly log: Log
}

/** Between two polls; up to half as much more, so that nodes do not ask in step and other jobs find room in a statement a second. */
const pollMs = 1_000
/** Before a failed run of a job is repeated that has no interval of its own. */
const retryMs = 1_000

/**
 * Runs each job at once, then `everyMs` after its last run ended, when its watch says so, and when it is woken by name. A failure is
 * logged and tried again. On PostgreSQL, other nodes wake jobs through one connection that listens; the poll is what remains when it breaks.
 */
export const createJobRunner = ({ jobs, database, signals, random, log }: Deps): JobRunner => {
  const { db } = database
  const running = new Map<string, Promise<void>>()
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
  const poll = async () => {
    try {
      const [answer = {}] = await readPrepared(db, { name: 'jobs.poll', sql: question }, [])
      for (const { name, watch, column } of watched) {
        const job = byName.get(name)
        if (job === undefined || running.has(name)) continue
        const value = answer[column]
        const text = value instanceof Date ? value.toISOString() : String(value)
        if (watch.isDue === undefined ? seen.get(name) !== text : watch.isDue(value)) start(job, 0, text)
      }
    } catch (err) {
      log.error({ err, job: 'poll' }, 'job failed')
    }
    running.delete('poll')
    schedule('poll', pollMs + ((random.bytes(1)[0] ?? 0) / 512) * pollMs, poll)
  }
  const pollNow = () => {
    if (watched.length > 0 && !running.has('poll')) schedule('poll', 0, poll)
  }

  let listening: { close(): Promise<void> } | undefined
  return {
    start: () => {
      for (const job of jobs) {
        job.onStart?.(() => wake(job))
        start(job, 0)
      }
      const onSignal = (name: string) => {
        const job = byName.get(name)
        if (job !== undefined) wake(job)
      }
      signals.onLocal(onSignal)
      listening = database.listen({
        // Signals sent while nothing listened are found by the watches.
        onConnected: pollNow,
        onSignal: (text) => {
          const { job, isOwn } = signals.read(text)
          if (!isOwn) onSignal(job)
        },
      })
      pollNow()
    },
    stop: async (graceMs = Number.POSITIVE_INFINITY) => {
      const isFirst = !stop.signal.aborted
      stop.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all([listening?.close(), ...running.values()])
      if (isFirst) await Promise.all(jobs.map((job) => job.onStop?.(graceMs)))
    },
  }
}
