import type { Log } from './log.ts'

/** Periodic work. `run` claims what it does in the database, so that any number of nodes may run it. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  run(): Promise<void>
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
  let stopped = false

  const schedule = (job: Job, delayMs: number) => {
    if (stopped) return
    const timer = setTimeout(() => {
      const run = job
        .run()
        .catch((err: unknown) => log.error({ err, job: job.name }, 'job failed'))
        .then(() => {
          running.delete(job.name)
          schedule(job, job.everyMs)
        })
      running.set(job.name, run)
    }, delayMs)
    timers.set(job.name, timer.unref())
  }

  return {
    start: () => {
      for (const job of jobs) schedule(job, 0)
    },
    stop: async () => {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(running.values())
    },
  }
}
