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
  /** Runs a reader with the events after its cursor. */
  readonly read: (reader: EventReader, stop: AbortSignal) => Promise<void>
}

/** How soon a reader is tried again whose handler failed, or that another node held when it died. */
const retryMs = 30_000

/** Longest wait before a reader that fails is run again. */
const longestRetryMs = 300_000

/** Runs a reader, and after a failure not before a while, which doubles with each: other readers and sealing are not its concern. */
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

/** Longest time for which the head of the chain that is logged last may be outdated. */
const headMs = 60_000

/** Between two looks at whether those who are told what happens may still know it. */
const streamMs = 5_000

/** One node seals the events of the last second; then each reader runs on one node, which may be another, and each node tells its consoles. */
export const auditJobs = ({ chain, clock, log, readers, retentions, logHead, read, streams }: Deps): Job[] => {
  let isRefused = false
  let wakeStreams = () => {}
  const seal = async (stop: AbortSignal) => {
    try {
      while (!stop.aborted && (await chain.seal()) > 0) wakeStreams()
      isRefused = false
    } catch (err) {
      // It lasts until somebody looks into it, or until this node has the secret that the others seal with: once is enough in the log.
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
      // A node also stops while its database is away.
      onStop: () => logHead().catch((err: unknown) => log.warn({ err }, 'the head of the event chain could not be read')),
    },
    { name: 'events.sweep', everyMs: 3_600_000, run: sweepAll(retentions) },
  ]
}
