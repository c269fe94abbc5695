import type { Core } from '../../../core/core.ts'
import { countRows } from '../../../core/db/sweep.ts'
import { type Retention, retentionOfRows } from '../../../core/retention.ts'
import { lockKeptSeconds, type ThrottlingPolicy } from './rules.ts'
import { failuresBefore, failuresBeyond } from './store.ts'

/** Deletes expired counters of wrong passwords, and the oldest counters beyond the maximum. */
export const createFailureRetention = (
  core: Pick<Core, 'db' | 'transact' | 'clock'>,
  { resetAfter, keptSeconds, mostKept }: ThrottlingPolicy,
): Retention => {
  const name = 'counts of wrong passwords'
  const which = `that have expired, and the oldest beyond ${mostKept}`
  const { clock } = core
  const expired = [
    retentionOfRows(core, name, which, () => failuresBefore(clock.after(-keptSeconds), resetAfter, false)),
    retentionOfRows(core, name, which, () => failuresBefore(clock.after(-lockKeptSeconds), resetAfter, true)),
  ]
  const beyond = retentionOfRows(core, name, which, () => failuresBeyond(mostKept))
  return {
    name,
    which,
    count: async () => {
      let counted = 0
      for (const retention of expired) counted += await retention.count()
      // Some counters are both expired and beyond the maximum. The two numbers are therefore not added up.
      return Math.max(counted, await countRows(core.db, failuresBeyond(mostKept)))
    },
    sweep: async (stop) => {
      let deleted = 0
      for (const retention of [...expired, beyond]) deleted += await retention.sweep(stop)
      return deleted
    },
  }
}
