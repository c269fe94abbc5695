/**
 * Answers the call `list-users` of Better Auth's admin client with our list of users. That client requests pages by offset, and expects
 * the total number. A query that no index can answer is refused, with a message that names a supported query. A search finds beginnings
 * of words, and examines the first thousand matches (docs/design/database.md#search).
 */
import type { z } from 'zod'
import { defaultRole } from '../../../access/roles.ts'
import { normalized } from '../../../core/db/search.ts'
import { AppError } from '../../../core/errors.ts'
import { readableAddresses } from '../../../core/idna.ts'
import { invalidQuery } from '../../../core/page.ts'
import { parseEmail } from '../../../core/wire.ts'
import type { AdministeredPerson } from '../contract.ts'
import type { ManagedUsers } from '../managed.ts'
import type { ListUsers } from './contract/users.ts'
import type { UserAdministration, UserListQuery } from './service.ts'

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

type Filter = Pick<UserListQuery, 'role' | 'verified' | 'banned' | 'createdSince' | 'createdUntil'>

/**
 * Turns a query into a filter. `one` is set if the query can match at most one user. Throws VALIDATION_ERROR for a filter that no index
 * can answer.
 */
const filterOf = ({ filterField: field, filterOperator: operator, filterValue: value }: Query) => {
  const filter: { -readonly [K in keyof Filter]?: Filter[K] } = {}
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

/**
 * Largest number of rows that are sorted in memory. Rows are sorted in memory if they come from a search, or if no index has the
 * requested order.
 */
const mostSorted = 1_000

/** Sorts a short list in memory, and returns one page of it. */
const cut = (list: readonly AdministeredPerson[], { sortBy, sortDirection }: Query, offset: number, limit: number) => {
  const sign = sortDirection === 'asc' ? 1 : -1
  const sortValueOf = (user: AdministeredPerson) => (sortBy === 'createdAt' ? user.createdAt.getTime() : user[sortBy])
  const sorted = list.toSorted((a, b) => {
    const [x, y] = [sortValueOf(a), sortValueOf(b)]
    return sign * (x < y || (x === y && a.id < b.id) ? -1 : 1)
  })
  return { users: sorted.slice(offset, offset + limit), total: list.length }
}

type Users = Pick<UserAdministration, 'list'> & Pick<ManagedUsers, 'require'>

/** A list with the user who has this id or email address. The list is empty if nobody has it. */
const found = async ({ require }: Users, value: string): Promise<readonly AdministeredPerson[]> => {
  try {
    return [await require(value)]
  } catch (error) {
    if (error instanceof AppError && error.code === 'USER_NOT_FOUND') return []
    throw error
  }
}

/** Answers the call. Throws VALIDATION_ERROR for a filter or an order that no index supports. */
export const listAsBetterAuth = async (users: Users, query: Query) => {
  const { searchValue, searchField, searchOperator, sortBy, sortDirection } = query
  const limit = query.limit === undefined || query.limit === 0 ? usualLimit : query.limit
  const offset = query.offset ?? 0
  const { filter, one } = filterOf(query)
  const passes = (user: AdministeredPerson) => one === undefined || user[one.field] === one.value
  const newest = { sort: 'createdAt', order: 'desc', limit: mostSorted } as const
  if (searchValue !== undefined && searchValue !== '') {
    const part = normalized(searchValue)
    const test = (text: string) => tests[searchOperator](normalized(text), part)
    const matches = await users.list({ ...filter, ...newest, search: searchValue })
    const kept = matches.users.filter((user) => {
      const text = searchField === 'username' ? String(user.fields['username'] ?? '') : user[searchField]
      return passes(user) && [text, readableAddresses(text)].some(test)
    })
    return cut(kept, query, offset, limit)
  }
  if (one !== undefined) return cut((await found(users, one.value)).filter(passes), query, offset, limit)
  const isFew = filter.banned === true || (filter.role !== undefined && filter.role !== defaultRole)
  const isSortedByIndex = sortBy === 'createdAt' || isFew || query.filterValue === undefined
  const page = await users.list(
    isSortedByIndex
      ? { ...filter, sort: sortBy, order: sortDirection, limit, offset, total: 'exact' }
      : { ...filter, ...newest, order: 'asc', offset: 0, total: 'exact' },
  )
  const total = page.total?.count ?? 0
  if (isSortedByIndex) return { users: page.users, total }
  if (total > mostSorted) throw invalidQuery('sortBy', `expected createdAt where more than ${mostSorted} users pass this filter`)
  return { ...cut(page.users, query, offset, limit), total }
}
