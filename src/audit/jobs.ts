import type { Clock } from '../core/clock.ts'
import { WrongSecretError } from '../core/crypto.ts'
import { type Chain, ChainChangedError } from '../core/events/chain.ts'
import { headPosition } from '../core/events/chain-store.ts'
import type { EventReader } from '../core/events/readers.ts'
import { hasUnsealed } from '../core/events/store.ts'
import type { Job } from '../core/jobs.ts'
import type { Log } from '../core/log.ts'
import { type Retention, sweepAll } from '../core/retention.ts'
import type { Streams } from './live/streams.ts'

interface Deps {
  readonly streams: Pick<Streams, 'run'>
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly readers: readonly EventReader[]
  readonly retentions: readonly Retention[]
  readonly logHead: () => Promise<void>
  /** Passes the events after a reader's cursor to that reader. */
  readonly read: (reader: EventReader, stop: AbortSignal) => Promise<void>
}

/** How long to wait, in milliseconds, before a failed reader runs again, or before another node takes over the reader of a node that died. */
const retryMs = 30_000

/** The longest time that a failing reader waits before it runs again, in milliseconds. */
const longestRetryMs = 300_000

/**
 * Makes a function that runs a reader. If the reader fails, it waits before it runs again, and twice as long after each further failure.
 * Other readers and the sealing of events are not delayed by this.
 */
const patient = ({ clock, log, read }: Pick<Deps, 'clock' | 'log' | 'read'>, reader: EventReader) => {
  let failures = 0
  let notBefore = clock.now()
  return async (stop: AbortSignal) => {
    if (failures > 0 && clock.now() < notBefore) return
    try {
      await read(reader, stop)
      if (failures > 0) log.info({ reader: reader.name, failures }, 'the reader of events works again')
      failures = 0
    } catch (err) {
      failures += 1
      const waitMs = Math.min(longestRetryMs, 1_000 * 2 ** Math.min(failures, 20))
      notBefore = clock.after(waitMs / 1000)
      log.error({ err, reader: reader.name, failures, waitMs }, 'a reader of events failed and is run again')
    }
  }
}

/** How old the last logged head of the chain may become, in milliseconds, before the head is logged again. */
const headMs = 60_000

/** How often the permissions of open event streams are checked, in milliseconds. */
const streamMs = 5_000

/**
 * The jobs of the audit log. Each second, one node seals new events into the chain. Then each reader runs on one node, and each node
 * sends the events to the consoles connected to it.
 */
export const auditJobs = ({ chain, clock, log, readers, retentions, logHead, read, streams }: Deps): Job[] => {
  let isRefused = false
  let wakeStreams = () => {}
  const seal = async (stop: AbortSignal) => {
    try {
      while (!stop.aborted && (await chain.seal()) > 0) wakeStreams()
      isRefused = false
    } catch (err) {
      // The problem is logged only once. It lasts until an operator repairs the chain, or until this node gets the newest master secret.
      if (!(err instanceof ChainChangedError || err instanceof WrongSecretError)) throw err
      if (!isRefused) log.error({ err }, 'this node seals no events')
      isRefused = true
    }
  }
  return [
    { name: 'events.seal', watch: { sql: hasUnsealed, isDue: Boolean }, run: seal },
    ...readers.map((reader) => ({
      name: `events.read.${reader.name}`,
      everyMs: retryMs,
      watch: { sql: headPosition },
      run: patient({ clock, log, read }, reader),
    })),
    {
      name: 'events.stream',
      everyMs: streamMs,
      watch: { sql: headPosition },
      run: () => streams.run(),
      onStart: (wake) => {
        wakeStreams = wake
      },
    },
    {
      name: 'events.head',
      everyMs: headMs,
      run: logHead,
      // If the database cannot be reached, the node stops all the same.
      onStop: () => logHead().catch((err: unknown) => log.warn({ err }, 'the head of the event chain could not be read')),
    },
    { name: 'events.sweep', everyMs: 3_600_000, run: sweepAll(retentions) },
  ]
}
