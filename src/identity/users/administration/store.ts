import type { Knex } from 'knex'
import { defaultRole } from '../../../access/roles.ts'
import { countUpTo, type Total, totalOf } from '../../../core/db/count.ts'
import type { Db, RawRow } from '../../../core/db/database.ts'
import { joinOne, type Keyset, readPage, readWindow } from '../../../core/db/keyset.ts'
import { type SearchedRows, searchRows } from '../../../core/db/search-page.ts'
import { type Cursor, type PlacedRows, type Position, textAfter, timeAfter } from '../../../core/page.ts'
import { hasRole, type UserRow, users, userTerms } from '../store.ts'

export interface UserFilter {
  /** Matches users who have this role. */
  readonly role?: string | undefined
  readonly verified?: boolean | undefined
  readonly banned?: boolean | undefined
  readonly secondFactor?: 'on' | 'required' | 'overdue' | undefined
  readonly createdSince?: Date | undefined
  readonly createdUntil?: Date | undefined
  /** The current time. It decides whether a ban still lasts, and whether a user is late in adding a second factor. */
  readonly now: Date
}

export type UserSort = 'createdAt' | 'name' | 'email'

const sortColumns = { createdAt: 'created_at', name: 'name', email: 'email' } as const

const hasOtherRole = `t.role <> '${defaultRole}'`

/** An SQL condition on the table with the alias `t`, and its values. */
type Condition = readonly [sql: string, ...values: readonly (string | boolean | Date)[]]

const isBanned = (banned: boolean, now: Date): Condition =>
  banned
    ? ['t.banned_at is not null and (t.ban_expires_at is null or t.ban_expires_at > ?)', now]
    : ['(t.banned_at is null or t.ban_expires_at <= ?)', now]

/** The conditions of two partial indexes that sort users by time: users with a second factor, and users who have to add one. */
const factorIndexes = {
  on: 't.second_factor_since is not null',
  missing: 't.second_factor_due is not null and t.second_factor_since is null',
} as const

/** Divides a filter into two lists of conditions: those that the index for the order answers, and those that are checked on each row. */
const split = (filter: UserFilter, sort: UserSort | 'search') => {
  const { role, verified, banned, secondFactor, createdSince, createdUntil, now } = filter
  const byTime: Condition[] = []
  if (createdSince !== undefined) byTime.push(['t.created_at >= ?', createdSince])
  if (createdUntil !== undefined) byTime.push(['t.created_at < ?', createdUntil])
  const byVerified: Condition[] = verified === undefined ? [] : [['t.email_verified = ?', verified]]
  const asked: Condition[] = banned === undefined ? [] : [isBanned(banned, now)]
  if (role !== undefined) asked.push([hasRole('t.role', '?'), `,${role},`])
  const byFactor: Condition[] = secondFactor === undefined ? [] : [[factorIndexes[secondFactor === 'on' ? 'on' : 'missing']]]
  if (secondFactor === 'required') asked.push(['t.second_factor_due > ?', now])
  if (secondFactor === 'overdue') asked.push(['t.second_factor_due <= ?', now])
  // Few users are banned, and few have a role, so each of these groups has a partial index of its own. A statement uses such an index
  // only if it repeats the condition of the index.
  const rare: Condition | undefined =
    banned === true ? ['t.banned_at is not null'] : role === undefined || role === defaultRole ? undefined : [hasOtherRole]
  if (sort === 'search') return { indexed: [], asked: [...byTime, ...byVerified, ...byFactor, ...asked] }
  if (sort !== 'createdAt')
    return { indexed: rare === undefined ? [] : [rare], asked: [...byTime, ...byVerified, ...byFactor, ...asked] }
  if (rare !== undefined) return { indexed: [rare, ...byTime], asked: [...byVerified, ...byFactor, ...asked] }
  return byFactor.length === 0
    ? { indexed: [...byVerified, ...byTime], asked }
    : { indexed: [...byFactor, ...byTime], asked: [...byVerified, ...asked] }
}

const apply = (query: Knex.QueryBuilder, alias: string, conditions: readonly Condition[]) => {
  for (const [sql, ...values] of conditions) query.whereRaw(sql.replaceAll('t.', `${alias}.`), values)
}

const positionOf = (sort: UserSort, row: UserRow): Position => ({
  value: sort === 'createdAt' ? row.createdAt.getTime() : row[sort],
  id: row.id,
})

/** A page of users in the requested order. */
export const pageOfUsers = async (
  db: Db,
  filter: UserFilter,
  { sort, order, limit, after }: Cursor<UserSort>,
): Promise<PlacedRows<UserRow>> => {
  const { indexed, asked } = split(filter, sort)
  const place = sort === 'createdAt' ? timeAfter(after) : textAfter(after)
  const keyset: Keyset = { columns: [sortColumns[sort], 'id'], order, limit, after: place }
  const placed = (raw: RawRow) => {
    const row = users.decode(raw)
    return { row, position: positionOf(sort, row) }
  }
  if (asked.length === 0) {
    const query = db.knex('user as x').select(users.namesOf('x'))
    apply(query, 'x', indexed)
    const rows: RawRow[] = await readPage(query, { ...keyset, columns: [`x.${sortColumns[sort]}`, 'x.id'] })
    return { found: rows.map(placed), lookedTo: undefined }
  }
  const { rows, lookedTo } = await readWindow(db, {
    ...keyset,
    from: 'user',
    select: users.names,
    where: (query) => apply(query, 'x', indexed),
    rest: (query) => apply(query, 'c', asked),
  })
  return { found: rows.map(placed), lookedTo: lookedTo && positionOf(sort, users.decode(lookedTo)) }
}

/** A page of the users in whose names or email addresses all words are found. */
export const searchUsers = (
  db: Db,
  words: readonly string[],
  filter: UserFilter,
  page: Pick<Cursor, 'limit' | 'after'>,
): Promise<PlacedRows<UserRow>> => {
  const { indexed, asked } = split(filter, 'createdAt')
  const searched: SearchedRows<UserRow> = {
    ...{ table: 'user', terms: userTerms, columnsOf: users.namesOf, decode: users.decode },
    isWhole: indexed.length + asked.length === 0,
    filter: (query, alias) => apply(query, alias, split(filter, 'search').asked),
    indexed: (query, alias) => apply(query, alias, indexed),
    checked: (query, alias) => apply(query, alias, asked),
  }
  return searchRows(db, words, searched, page)
}

const selected = (db: Db, filter: UserFilter, sort: UserSort) => {
  const query = db.knex('user as x')
  const { indexed, asked } = split(filter, sort)
  apply(query, 'x', [...indexed, ...asked])
  return query
}

/** A page that starts at an offset. The rows before it are only skipped in an index, and not read from the table. */
export const listByOffset = async (
  db: Db,
  filter: UserFilter,
  {
    sort,
    order,
    limit,
    offset,
  }: { readonly sort: UserSort; readonly order: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): Promise<readonly UserRow[]> => {
  const ordered = (alias: string) => [`${alias}.${sortColumns[sort]}`, `${alias}.id`].map((column) => ({ column, order }))
  const ids = selected(db, filter, sort).orderBy(ordered('x')).limit(limit).offset(offset).select('x.id')
  const rows: RawRow[] = await db.knex('user as u').whereIn('u.id', ids).orderBy(ordered('u')).select(users.namesOf('u'))
  return rows.map((raw) => users.decode(raw))
}

/** The number of users in a list or search, exact up to 10,000. */
export const totalOfUsers = (db: Db, { now, ...filter }: UserFilter, words?: readonly string[]): Promise<Total> => {
  const isWhole = Object.values(filter).every((value) => value === undefined)
  if (words === undefined) return totalOf(db, selected(db, { ...filter, now }, 'createdAt'), isWhole ? 'user' : undefined)
  return userTerms.texts.total(db, words, (query) => {
    if (isWhole) return
    joinOne(query, db, { table: 'user', as: 'u', key: 'id', of: 't.user_id' })
    apply(query, 'u', split({ ...filter, now }, 'search').asked)
  })
}

/** Counts the users that match a filter, but only up to `most`. Null: counts all. */
export const countUsers = (db: Db, filter: UserFilter, most: number | null): Promise<number> =>
  countUpTo(db, selected(db, filter, 'createdAt'), most)
