import type { Db, RawRow, Tx } from '../../core/db/database.ts'
import { readWindow } from '../../core/db/keyset.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { int, json, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, type PlacedRows, type Position, timeAfter } from '../../core/page.ts'
import { recordOf } from '../../core/stored-json.ts'

const columns = {
  id: text,
  occurredAt: time,
  lastAt: time,
  attempts: int,
  userId: nullable(text),
  addressKey: nullable(text),
  method: text,
  provider: nullable(text),
  clientId: nullable(text),
  reason: text,
  code: text,
  detail: json(() => recordOf((value) => typeof value === 'string' || typeof value === 'number')),
  address: text,
  network: text,
  userAgent: text,
  requestId: text,
}
const failures = table('sign_in_failure', columns)
export type FailureRow = Row<typeof columns>

export const insertFailures = (tx: Tx, rows: readonly FailureRow[]): Promise<void> => failures.insertAll(tx, rows)

/** Inserts a sum of attempts. If a sum with this id is stored, its number of attempts is increased. */
export const addAttempts = async (tx: Tx, row: FailureRow): Promise<void> => {
  await tx
    .knex(failures.name)
    .insert(failures.encode(row))
    .onConflict('id')
    .merge({ attempts: tx.knex.raw('sign_in_failure.attempts + excluded.attempts'), last_at: row.lastAt })
}

/** Filters for failed attempts. The first filter that is set decides which index is used. */
export interface FailureFilter {
  readonly requestId?: string | undefined
  readonly userId?: string | undefined
  readonly addressKeys?: readonly string[] | undefined
  readonly address?: string | undefined
}

const read = async (
  db: Db,
  column: string,
  values: readonly string[],
  since: Date,
  limit: number,
): Promise<readonly FailureRow[]> => {
  const rows: Record<string, unknown>[] = []
  // Each value has a statement of its own, which reads an index in order. A single statement for all values would have to sort all rows.
  for (const value of values)
    rows.push(
      ...(await db
        .knex(failures.name)
        .select(failures.names)
        .where(column, value)
        .where('occurred_at', '>=', since)
        .orderBy([
          { column: 'occurred_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(limit)),
    )
  return rows.map((row) => failures.decode(row))
}

/** The newest failed attempts since `since`, at most `limit` for each value of the filter. */
export const findFailures = async (
  db: Db,
  { requestId, userId, addressKeys = [], address }: FailureFilter,
  since: Date,
  limit: number,
): Promise<readonly FailureRow[]> => {
  if (requestId !== undefined) return read(db, 'request_id', [requestId], since, limit)
  if (userId === undefined && addressKeys.length === 0)
    return address === undefined ? [] : read(db, 'address', [address], since, limit)
  const byUser = userId === undefined ? [] : await read(db, 'user_id', [userId], since, limit)
  const byAddress = (await read(db, 'address_key', addressKeys, since, limit)).filter(
    // The mail address may have belonged to another account before. Attempts that are stored for that account are left out.
    (row) => row.userId === null || userId === undefined || row.userId === userId,
  )
  return [...new Map([...byUser, ...byAddress].map((row) => [row.id, row])).values()]
}

const newestFirst = () => [
  { column: 'occurred_at', order: 'desc' },
  { column: 'id', order: 'desc' },
]

/** The newest failed sign-in with an identity provider, among the newest `examined` failed attempts. */
export const findNewestOf = async (db: Db, provider: string, examined: number): Promise<FailureRow | undefined> => {
  const newest = db.knex(failures.name).select(failures.names).orderBy(newestFirst()).limit(examined).as('newest')
  const row = await db.knex.select(failures.names).from(newest).where('provider', provider).orderBy(newestFirst()).first()
  return row === undefined ? undefined : failures.decode(row)
}

export interface FailureListFilter {
  readonly userId?: string | undefined
  readonly address?: string | undefined
  readonly clientId?: string | undefined
  readonly reason?: string | undefined
  readonly method?: string | undefined
  readonly provider?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

const placeOf = (raw: RawRow): Position => {
  const { occurredAt, id } = failures.decode(raw)
  return { value: occurredAt.getTime(), id }
}

/** A page of the failed attempts of all people. */
export const pageOfFailures = async (
  db: Db,
  { userId, address, clientId, reason, method, provider, since, until }: FailureListFilter,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<FailureRow>> => {
  // Only the first filter is likely to have an index in the order of the list. The other filters are applied to a limited number of rows.
  const [first, ...others] = Object.entries({ user_id: userId, client_id: clientId, address, reason, method, provider }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  )
  const isIndexed = first !== undefined && ['user_id', 'client_id', 'address'].includes(first[0])
  const rest = first === undefined || isIndexed ? others : [first, ...others]
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    from: failures.name,
    columns: ['occurred_at', 'id'],
    select: failures.names,
    order,
    limit,
    after: timeAfter(after),
    where: (query) => {
      if (isIndexed) query.where(`x.${first[0]}`, first[1])
      if (since !== undefined) query.where('x.occurred_at', '>=', since)
      if (until !== undefined) query.where('x.occurred_at', '<', until)
    },
    rest:
      rest.length === 0
        ? undefined
        : (query) => {
            query.select(failures.namesOf('c'))
            for (const [column, value] of rest) query.where(`c.${column}`, value)
          },
  })
  const found = rows.map((raw) => ({ row: failures.decode(raw), position: placeOf(raw) }))
  return { found, lookedTo: lookedTo && placeOf(lookedTo), total }
}

/** Deletes the failed attempts whose mail address or user name has one of the given hashes. */
export const deleteByAddress = async (tx: Tx, keys: readonly string[]): Promise<void> => {
  await tx
    .knex(failures.name)
    .whereIn('address_key', [...keys])
    .delete()
}

const outdated = (choose: Outdated['choose']): Outdated => ({ table: failures.name, key: ['id'], choose })

/** Selects failed attempts from before the given time. */
export const failuresBefore = (before: Date): Outdated => outdated((rows) => rows.where('occurred_at', '<', before))

/** Selects all failed attempts except the newest `most`. */
export const failuresBeyond = (most: number): Outdated =>
  outdated((rows) =>
    rows
      .orderBy([
        { column: 'occurred_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .offset(most),
  )

/**
 * The failed attempts of a person, for the download of personal data. Network address and browser are left out, because the attempt may
 * come from another person.
 */
export const ownFailures = personalRows(failures, {
  name: 'failedSignIns',
  fields: ['occurredAt', 'lastAt', 'attempts', 'method', 'provider', 'clientId', 'reason', 'code'],
})
