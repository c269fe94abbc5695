import type { Db, Tx } from '../../core/db/database.ts'
import { readWindow } from '../../core/db/keyset.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { int, nullable, oneOf, type Row, table, text, time, view } from '../../core/db/table.ts'
import { type Cursor, type PlacedRows, timeAfter } from '../../core/page.ts'
import { noticeStates } from './contract.ts'

const columns = {
  id: text,
  clientId: text,
  /** The id of the user. There is no foreign key, because the notice about the deletion of a user is sent after the deletion. */
  userId: text,
  /** The id of the session that has ended. */
  sessionId: text,
  cause: text,
  state: oneOf(...noticeStates),
  attempts: int,
  answer: nullable(int),
  problem: nullable(text),
  createdAt: time,
  attemptedAt: nullable(time),
  expiresAt: time,
}
const notices = table('logout_notice', columns)
export type NoticeRow = Row<typeof columns>

export const insertNotices = (tx: Tx, rows: readonly NoticeRow[]) => notices.insertAll(tx, rows)
export const findNotice = (db: Db, id: string) => notices.find(db, { id })

/** The columns that an attempt to send a notice changes. */
export type Attempt = Pick<NoticeRow, 'state' | 'attempts' | 'answer' | 'problem' | 'attemptedAt'>
/** Updates a notice. Returns false if the notice was deleted together with its application. */
export const updateNotice = (tx: Tx, id: string, attempt: Partial<Attempt>) => notices.updateOne(tx, { id }, attempt)

export interface NoticeFilter {
  readonly clientId: string | undefined
  readonly userId: string | undefined
}

export const pageOfNotices = async (
  db: Db,
  { clientId, userId }: NoticeFilter,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<NoticeRow>> => {
  const isOfBoth = clientId !== undefined && userId !== undefined
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    ...{ from: notices.name, select: notices.names, columns: ['created_at', 'id'], order, limit, after: timeAfter(after) },
    where: (query) => {
      if (userId !== undefined) query.where('x.user_id', userId)
      else if (clientId !== undefined) query.where('x.client_id', clientId)
    },
    rest: isOfBoth ? (query) => query.where('c.client_id', clientId) : undefined,
  })
  const placeOf = ({ id, createdAt }: NoticeRow) => ({ id, value: createdAt.getTime() })
  const found = rows.map((raw) => notices.decode(raw)).map((row) => ({ row, position: placeOf(row) }))
  return { found, lookedTo: lookedTo && placeOf(notices.decode(lookedTo)), total }
}

const unheard = view(notices.name, { clientId: text, since: time, count: int })

/** The number of failed attempts after which an application is reported. The first two repetitions follow within a minute. */
const leastAttempts = 3

/**
 * Applications that have accepted no notice since their last failed attempt. `count` is the number of failed notices, and `since` the
 * time of the oldest of them.
 */
export const listUnheard = async (db: Db, limit: number) => {
  const rows: Record<string, unknown>[] = await db
    .knex({ n: notices.name })
    .whereNotNull('n.problem')
    .whereIn('n.state', ['waiting', 'failed'])
    .where('n.attempts', '>=', leastAttempts)
    .whereNotExists(
      db
        .knex({ d: notices.name })
        .whereRaw('d.client_id = n.client_id and d.attempted_at > n.attempted_at')
        .where('d.state', 'delivered')
        .select('d.id'),
    )
    .groupBy('n.client_id')
    .orderBy('n.client_id')
    .limit(limit)
    .select('n.client_id')
    .min({ since: 'n.created_at' })
    .count({ count: '*' })
  const found = rows.map((raw) => unheard.decode({ ...raw, count: Number(raw['count']) }))
  const last = found.map(async ({ clientId, ...rest }) => {
    const row = await db
      .knex(notices.name)
      .where({ client_id: clientId })
      .whereNotNull('problem')
      .orderBy('attempted_at', 'desc')
      .first('problem')
    return { clientId, ...rest, problem: String(row?.problem ?? '') }
  })
  return Promise.all(last)
}

/** The notices about sessions of a user, for the download of personal data. */
export const ownNotices = personalRows(notices, {
  name: 'logoutNotices',
  fields: ['clientId', 'sessionId', 'cause', 'state', 'createdAt', 'attemptedAt'],
})

export const noticesBefore = (now: Date): Outdated => ({
  table: notices.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<', now),
})
