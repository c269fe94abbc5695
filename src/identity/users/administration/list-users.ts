import type { z } from 'zod'
import { defaultRole } from '../../../access/roles.ts'
import type { Core } from '../../../core/core.ts'
import { askedTerms, normalized } from '../../../core/db/search.ts'
import { readableAddresses } from '../../../core/idna.ts'
import { invalidQuery } from '../../../core/page.ts'
import { parseEmail } from '../../../core/wire.ts'
import type { UserRow } from '../store.ts'
import type { ListUsers } from './contract/users.ts'
import * as store from './store.ts'
import { countUsers, type UserFilter } from './store.ts'

/** Counted anew each time up to here: an index is read that far in a few milliseconds. */
const exactTo = 10_000
/** How long a greater number is taken as it was counted. */
const seconds = 60
/** Filters whose numbers are remembered. */
const mostFilters = 100

interface UserCounts {
  /** How many users pass a filter: exact up to 10,000, beyond that at most a minute old. */
  count(filter: UserFilter): Promise<number>
}

/** Numbers of users for lists that show a total on each page: a million rows are not counted for each of them. */
const createUserCounts = ({ db, clock }: Pick<Core, 'db' | 'clock'>): UserCounts => {
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

type Query = z.output<typeof ListUsers>

const usualLimit = 100

const booleanOf = (text: string) => {
  if (text !== 'true' && text !== 'false') throw invalidQuery('filterValue', 'expected true or false')
  return text === 'true'
}

const timeOf = (text: string) => {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw invalidQuery('filterValue', 'expected a time in ISO 8601')
  return at
}

const later = (at: Date) => new Date(at.getTime() + 1)

/** The filter of a query; `one` where it names at most one user. Throws VALIDATION_ERROR on a filter that no index answers. */
const filterOf = ({ filterField: field, filterOperator: operator, filterValue: value }: Query, now: Date) => {
  const filter: { -readonly [K in keyof store.UserFilter]: store.UserFilter[K] } = { now }
  if (value === undefined) return { filter }
  const only = (...allowed: readonly string[]) => {
    if (!allowed.includes(operator)) throw invalidQuery('filterOperator', `expected ${allowed.join(' or ')} for this field`)
  }
  switch (field ?? 'email') {
    case 'id':
    case 'email':
      only('eq')
      return {
        filter,
        one: field === 'id' ? ({ field, value } as const) : ({ field: 'email', value: parseEmail(value) ?? value } as const),
      }
    case 'role':
      only('eq')
      filter.role = value
      return { filter }
    case 'emailVerified':
      only('eq', 'ne')
      filter.verified = booleanOf(value) === (operator === 'eq')
      return { filter }
    case 'banned':
      only('eq', 'ne')
      filter.banned = booleanOf(value) === (operator === 'eq')
      return { filter }
    default: {
      only('gt', 'gte', 'lt', 'lte')
      const at = timeOf(value)
      if (operator === 'gt' || operator === 'gte') filter.createdSince = operator === 'gt' ? later(at) : at
      else filter.createdUntil = operator === 'lte' ? later(at) : at
      return { filter }
    }
  }
}

const tests = {
  contains: (text: string, part: string) => text.includes(part),
  starts_with: (text: string, part: string) => text.startsWith(part),
  ends_with: (text: string, part: string) => text.endsWith(part),
} as const

/** Rows of a bounded list in an order, and one page of them. */
const cut = (rows: readonly UserRow[], { sortBy, sortDirection }: Query, offset: number, limit: number) => {
  const sign = sortDirection === 'asc' ? 1 : -1
  const sortValueOf = (row: UserRow) => (sortBy === 'createdAt' ? row.createdAt.getTime() : row[sortBy])
  const sorted = rows.toSorted((a, b) => {
    const [x, y] = [sortValueOf(a), sortValueOf(b)]
    return sign * (x < y || (x === y && a.id < b.id) ? -1 : 1)
  })
  return { rows: sorted.slice(offset, offset + limit), total: rows.length }
}

export interface ListedUsers {
  readonly rows: readonly UserRow[]
  readonly total: number
}

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly findOne: (field: 'id' | 'email', value: string) => Promise<UserRow | undefined>
}

/**
 * Lists users as Better Auth asks for them: by offset, with their total. A query that no index answers is refused with the way that does;
 * a search finds beginnings of words and looks at the first thousand matches (docs/design/database.md#search).
 */
export const createListUsers = ({ db, clock, findOne }: Deps) => {
  const counts = createUserCounts({ db, clock })

  const passes = (one: ReturnType<typeof filterOf>['one']) => (row: UserRow) => one === undefined || row[one.field] === one.value

  return async (query: Query): Promise<ListedUsers> => {
    const { searchValue, searchField, searchOperator, sortBy, sortDirection } = query
    const limit = query.limit === undefined || query.limit === 0 ? usualLimit : query.limit
    const offset = query.offset ?? 0
    const { filter, one } = filterOf(query, clock.now())
    if (searchValue !== undefined && searchValue !== '') {
      const part = normalized(searchValue)
      // What a name or an address begins with is at the beginning of terms.
      const matches = await store.matchesOf(db, askedTerms(searchValue), filter, { isBegun: searchOperator === 'starts_with' })
      const test = (text: string) => tests[searchOperator](normalized(text), part)
      const found = matches
        .filter((row) => [row[searchField] ?? '', readableAddresses(row[searchField] ?? '')].some(test))
        .filter(passes(one))
      return cut(found, query, offset, limit)
    }
    if (one !== undefined) {
      const row = await findOne(one.field, one.value)
      return cut(row === undefined ? [] : [row], query, offset, limit)
    }
    const total = await counts.count(filter)
    const isFew = filter.banned === true || (filter.role !== undefined && filter.role !== defaultRole)
    const isSortedByIndex = sortBy === 'createdAt' || isFew || query.filterValue === undefined
    if (!isSortedByIndex && total > store.mostMatches)
      throw invalidQuery('sortBy', `expected createdAt where more than ${store.mostMatches} users pass this filter`)
    const rows = isSortedByIndex
      ? await store.listByOffset(db, filter, { sort: sortBy, order: sortDirection, limit, offset })
      : await store.listByOffset(db, filter, { sort: 'createdAt', order: 'asc', limit: store.mostMatches, offset: 0 })
    return isSortedByIndex ? { rows, total } : { ...cut(rows, query, offset, limit), total }
  }
}
