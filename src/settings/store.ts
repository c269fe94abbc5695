import type { Db, Tx } from '../core/db/database.ts'
import { json, nullable, type Row, table, text, time } from '../core/db/table.ts'
import { listOf, objectWith } from '../core/stored-json.ts'
import type { RecordedSetting } from './rules.ts'

const columns = {
  id: text,
  startedAt: time,
  seenAt: time,
  url: text,
  file: nullable(text),
  settings: json(() => listOf(objectWith<RecordedSetting>({ key: 'text' }))),
}
const daemons = table('daemon_configuration', columns)
export type DaemonRow = Row<typeof columns>

/** Notes what a daemon was started with, and that it runs. */
export const noteDaemon = (tx: Tx, row: DaemonRow): Promise<void> => daemons.upsertAll(tx, [row], ['id'], ['seenAt'])

/** The daemon that was started last; it may run no more. */
export const findNewestDaemon = async (db: Db): Promise<DaemonRow | undefined> =>
  (await daemons.list(db, {}, { orderBy: 'startedAt', descending: true, limit: 1 }))[0]

/** Forgets daemons that were not seen since `before`. */
export const deleteUnseenDaemons = async (tx: Tx, before: Date): Promise<void> => {
  await tx.knex(daemons.name).where('seen_at', '<', before).delete()
}

/** Forgets a daemon. */
export const deleteDaemon = async (tx: Tx, id: string): Promise<void> => {
  await daemons.delete(tx, { id })
}
