import type { Log } from './log.ts'

/** Periodic work. `run` claims what it does in the database, so that any number of nodes may run it. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** `true` asks for another run at once. Claims nothing new once `stop` is aborted. */
  run(stop: AbortSignal): Promise<unknown>
  /** Told at start how to have the job run at once, for work that should not wait for `everyMs`. */
  onStart?(wake: () => void): void
}

export interface JobRunner {
  start(): void
  /** Starts no run any more and waits for those under way. */
  stop(): Promise<void>
}

/** Runs each job at once and then `everyMs` after its last run ended; a failure is logged and tried again. */
export const createJobRunner = (jobs: readonly Job[], log: Log): JobRunner => {
  const running = new Map<string, Promise<void>>()
  const timers = new Map<string, NodeJS.Timeout>()
  const woken = new Set<string>()
  const stop = new AbortController()

  const run = async (job: Job) => {
    woken.delete(job.name)
    const more = await job.run(stop.signal).catch((err: unknown) => log.error({ err, job: job.name }, 'job failed'))
    running.delete(job.name)
    schedule(job, more === true || woken.has(job.name) ? 0 : job.everyMs)
  }
  const schedule = (job: Job, delayMs: number) => {
    if (stop.signal.aborted) return
    clearTimeout(timers.get(job.name))
    const timer = setTimeout(() => running.set(job.name, run(job)), delayMs)
    timers.set(job.name, timer.unref())
  }
  const wake = (job: Job) => {
    if (running.has(job.name)) woken.add(job.name)
    else schedule(job, 0)
  }

  return {
    start: () => {
      for (const job of jobs) {
        job.onStart?.(() => wake(job))
        schedule(job, 0)
      }
    },
    stop: async () => {
      stop.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(running.values())
    },
  }
}
