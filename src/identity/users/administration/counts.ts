import type { Core } from '../../../core/core.ts'
import { countUsers, type UserFilter } from './store.ts'

/** Counted anew each time up to here: an index is read that far in a few milliseconds. */
const exactTo = 10_000
/** How long a greater number is taken as it was counted. */
const seconds = 60
/** Filters whose numbers are remembered. */
const mostFilters = 100

export interface UserCounts {
  /** How many users pass a filter: exact up to 10,000, beyond that at most a minute old. */
  count(filter: UserFilter): Promise<number>
}

/** Numbers of users for lists that show a total on each page: a million rows are not counted for each of them. */
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
      // Of requests at the same moment one counts.
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
