import type { Db, Tx } from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { deleteSome, type Outdated } from '../../core/db/sweep.ts'
import { type Row, table, text, time } from '../../core/db/table.ts'

const columns = {
  id: text,
  userId: text,
  browserHash: text,
  address: text,
  userAgent: text,
  /** The time at which the second factor was given in this browser. */
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
}
const browsers = table('remembered_browser', columns)
export type BrowserRow = Row<typeof columns>

/** Reads the row of a remembered browser that has not expired. */
export const findBrowser = async (
  db: Db,
  userId: string,
  browserHash: string,
  since: Date,
  now: Date,
): Promise<BrowserRow | undefined> => {
  const row = await browsers.find(db, { userId, browserHash })
  return row !== undefined && row.expiresAt > now && row.createdAt > since ? row : undefined
}

/** The browsers of a user that were remembered after `since` and have not expired. The browser that was used last comes first. */
export const listBrowsers = async (db: Db, userId: string, since: Date, now: Date): Promise<readonly BrowserRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex(browsers.name)
    .where({ user_id: userId })
    .where('expires_at', '>', now)
    .where('created_at', '>', since)
    .orderBy([
      { column: 'last_used_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .select(browsers.names)
  return rows.map((row) => browsers.decode(row))
}

/** Stores a remembered browser, in place of an earlier row of the browser. Two simultaneous requests from one browser leave a single row. */
export const saveBrowser = async (tx: Tx, row: BrowserRow): Promise<void> => {
  await tx.knex(browsers.name).insert(browsers.encode(row)).onConflict(['user_id', 'browser_hash']).merge()
}

export const touchBrowser = (
  tx: Tx,
  userId: string,
  browserHash: string,
  seen: Pick<BrowserRow, 'address' | 'userAgent' | 'lastUsedAt'>,
) => browsers.update(tx, { userId, browserHash }, seen)

/** Deletes a remembered browser. Returns false if the user has no browser with this id. */
export const deleteBrowser = async (tx: Tx, userId: string, id: string): Promise<boolean> =>
  (await browsers.delete(tx, { id, userId })) === 1

/** Deletes all remembered browsers of a user. Returns the number of deleted rows. */
export const deleteBrowsers = (tx: Tx, userId: string): Promise<number> => browsers.delete(tx, { userId })

const outdated = (choose: Outdated['choose']): Outdated => ({ table: browsers.name, key: ['id'], choose })

/** Deletes all remembered browsers of a user except the `most` that were used last. */
export const deleteBrowsersBeyond = (tx: Tx, userId: string, most: number): Promise<number> =>
  deleteSome(
    tx,
    outdated((rows) => rows.where({ user_id: userId }).orderBy('last_used_at', 'desc').offset(most)),
    500,
  )

export const expiredBrowsers = (now: Date): Outdated => outdated((rows) => rows.where('expires_at', '<=', now))

export const ownBrowsers = personalRows(browsers, {
  name: 'rememberedBrowsers',
  fields: ['id', 'address', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt'],
})
