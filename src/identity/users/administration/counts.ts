import type { Core } from '../../../core/core.ts'
import { countUsers, type UserFilter } from './store.ts'

/** Up to this number the rows are counted at every call, because reading that many entries of an index takes a few milliseconds. */
const exactTo = 10_000
/** Seconds for which a larger count is remembered. */
const seconds = 60
/** The largest number of filters whose counts are remembered. */
const mostFilters = 100

export interface UserCounts {
  /** Counts the users that pass a filter. The count is exact up to 10,000 and otherwise at most a minute old. */
  count(filter: UserFilter): Promise<number>
}

/** Counts for lists that show a total on each page. Without remembered counts, each page would count up to a million rows. */
export const createUserCounts = ({ db, clock }: Pick<Core, 'db' | 'clock'>): UserCounts => {
  const known = new Map<string, { readonly until: number; readonly number: Promise<number> }>()
  return {
    count: async (filter) => {
      const few = await countUsers(db, filter, exactTo + 1)
      if (few <= exactTo) return few
      const { now: _, ...rest } = filter
      const key = JSON.stringify(rest)
      const now = clock.now().getTime()
      const before = known.get(key)
      if (before !== undefined && before.until > now) return before.number
      // Simultaneous requests share one count.
      const number = countUsers(db, filter, null)
      known.delete(key)
      known.set(key, { until: now + seconds * 1000, number })
      number.catch(() => known.delete(key))
      const [oldest] = known.keys()
      if (known.size > mostFilters && oldest !== undefined) known.delete(oldest)
      return number
    },
  }
}
