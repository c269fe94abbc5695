import type { Core } from '../../../core/core.ts'
import { countUsers, type UserFilter } from './store.ts'

/** Up to this number, rows are counted at every call, because counting so many entries of an index takes only a few milliseconds. */
const exactTo = 10_000
/** For how many seconds a larger number is stored. */
const seconds = 60
/** Largest number of filters for which a number is stored. */
const mostFilters = 100

export interface UserCounts {
  /** Counts the users that match a filter. A number up to 10,000 is exact. A larger one is at most a minute old. */
  count(filter: UserFilter): Promise<number>
}

/** Counts users for lists that show the total on each page. Without storing large numbers, each page would count up to a million rows. */
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
      // If several requests need the same number at the same time, it is counted once.
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
