import type { Clock } from '../core/clock.ts'
import { WrongSecretError } from '../core/crypto.ts'
import { type Chain, ChainChangedError } from '../core/events/chain.ts'
import { headPosition } from '../core/events/chain-store.ts'
import type { EventReader } from '../core/events/readers.ts'
import { hasUnsealed } from '../core/events/store.ts'
import type { Job } from '../core/jobs.ts'
import type { Log } from '../core/log.ts'
import { daySeconds } from '../core/time.ts'

interface Deps {
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly readers: readonly EventReader[]
  readonly keepDays: number
  /** Runs a reader with the events after its cursor. */
  readonly read: (reader: EventReader, stop: AbortSignal) => Promise<void>
}

/** How soon a reader is tried again whose handler failed, or that another node held when it died. */
const retryMs = 30_000

/** One node seals the events of the last second; then each reader runs on one node, which may be another. */
export const auditJobs = ({ chain, clock, log, readers, keepDays, read }: Deps): Job[] => {
  let isRefused = false
  const seal = async (stop: AbortSignal) => {
    try {
      while (!stop.aborted && (await chain.seal()) > 0);
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
      run: (stop: AbortSignal) => read(reader, stop),
    })),
    {
      name: 'events.sweep',
      everyMs: 3_600_000,
      run: (stop) => chain.deleteBefore(clock.after(-keepDays * daySeconds), stop),
    },
  ]
}
