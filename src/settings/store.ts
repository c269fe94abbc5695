import { type Total, totalOf } from '../core/db/count.ts'
import { type Db, readPrepared, type Tx } from '../core/db/database.ts'
import { bool, int, json, nullable, type Row, sealed, table, text, time } from '../core/db/table.ts'
import { listOf, objectWith } from '../core/stored-json.ts'
import type { RecordedSetting } from './rules.ts'

const columns = {
  id: text,
  startedAt: time,
  seenAt: time,
  url: text,
  file: nullable(text),
  settings: json(() => listOf(objectWith<RecordedSetting>({ key: 'text' }))),
  /** The version of the settings that is in effect on the daemon, and the problem that prevents a newer version. */
  settingsVersion: int,
  settingsProblem: nullable(text),
}
const daemons = table('daemon_configuration', columns)
export type DaemonRow = Row<typeof columns>
/** How many nodes the finding of `doctor` lists at most. */
const mostProblems = 20

/** Stores the configuration of a daemon, and that it is running now. */
export const noteDaemon = (tx: Tx, row: DaemonRow): Promise<void> =>
  daemons.upsertAll(tx, [row], ['id'], ['seenAt', 'settingsVersion', 'settingsProblem'])

/** The daemon that was started last. It may have stopped since. */
export const findNewestDaemon = async (db: Db): Promise<DaemonRow | undefined> =>
  (await daemons.list(db, {}, { orderBy: 'startedAt', descending: true, limit: 1 }))[0]

/** The problems because of which running daemons do not use the newest settings. Daemons not seen since `since` are left out. */
export const listProblems = async (db: Db, since: Date): Promise<readonly string[]> => {
  const rows = await db
    .knex(daemons.name)
    .select('settings_problem')
    .where('seen_at', '>=', since)
    .whereNotNull('settings_problem')
    .orderBy('seen_at', 'desc')
    .limit(mostProblems)
  return rows.map((row) => row.settings_problem)
}

/** Deletes the records of daemons that were not seen since `before`. */
export const deleteUnseenDaemons = async (tx: Tx, before: Date): Promise<void> => {
  await tx.knex(daemons.name).where('seen_at', '<', before).delete()
}

/** Deletes the record of a daemon. */
export const deleteDaemon = async (tx: Tx, id: string): Promise<void> => {
  await daemons.delete(tx, { id })
}

const versionColumns = {
  version: int,
  changedAt: time,
  actorKind: text,
  actorId: nullable(text),
  reason: nullable(text),
  revertedTo: nullable(int),
}
const versions = table('setting_version', versionColumns)
export type VersionRow = Row<typeof versionColumns>
/** The largest value of the column, which is a 32-bit integer. */
const greatestVersion = 2_147_483_647

export const sealContext = (id: string) => `setting_change.sealed_value.${id}`

const changeColumns = {
  id: text,
  version: int,
  key: text,
  /** The value as JSON. Null if the value is a secret, or was removed. */
  value: nullable(text),
  /** The value of a secret as sealed JSON. */
  sealedValue: nullable(sealed(sealContext)),
  isCurrent: bool,
}
const changes = table('setting_change', changeColumns)
export const { sealedColumns } = changes
export type ChangeRow = Row<typeof changeColumns>
export type CurrentRow = ChangeRow & Pick<VersionRow, 'changedAt' | 'actorKind' | 'actorId'>

const author = versions.pick('changedAt', 'actorKind', 'actorId')
const listOfColumns = [...changes.columnsOf('c', ''), ...author.columnsOf('v', '')]
const select = `select ${listOfColumns.map(({ sql, name }) => `${sql} as "${name}"`).join(', ')} from setting_change c join setting_version v on v.version = c.version`

const byKey = <T extends { readonly version: number; readonly key: string }>(rows: readonly T[]): readonly T[] =>
  rows.toSorted((a, b) => a.version - b.version || (a.key < b.key ? -1 : 1))

/** The newest change of every setting, including removals. */
export const listCurrent = async (db: Db): Promise<readonly CurrentRow[]> => {
  const rows = await readPrepared(db, { name: 'settings_current', sql: `${select} where c.is_current` }, [])
  return byKey(rows.map((raw) => ({ ...changes.decode(raw), ...author.decode(raw) })))
}

/** A query for the newest version. Nodes use it to notice changes. */
export const versionWatch = 'select max(version) from setting_version'

export const findNewestVersion = async (db: Db): Promise<number> => {
  const [row] = await readPrepared(
    db,
    { name: 'settings_version', sql: 'select max(version) as version from setting_version' },
    [],
  )
  return Number(row?.['version'] ?? 0)
}

/** Inserts a version. If two nodes insert it at the same time, the primary key refuses one of them. */
export const insertVersion = (tx: Tx, row: VersionRow): Promise<void> => versions.insert(tx, row)

/** Inserts the changes of a version. */
export const insertChanges = async (tx: Tx, rows: readonly ChangeRow[]): Promise<void> => {
  for (const { key } of rows) await changes.update(tx, { key, isCurrent: true }, { isCurrent: false })
  for (const row of rows) await changes.insert(tx, row)
}

export const findVersion = (db: Db, version: number): Promise<VersionRow | undefined> => versions.find(db, { version })

/** The versions before a version, newest first. */
export const listVersions = async (db: Db, before: number | undefined, limit: number): Promise<readonly VersionRow[]> => {
  const query = db
    .knex(versions.name)
    .select(versions.names)
    .where('version', '<', before ?? greatestVersion)
  return (await query.orderBy('version', 'desc').limit(limit)).map((raw) => versions.decode(raw))
}

/** The number of versions. */
export const totalOfVersions = (db: Db): Promise<Total> => totalOf(db, db.knex(versions.name), versions.name)

export const listChanges = async (db: Db, ofVersions: readonly number[]): Promise<readonly ChangeRow[]> => {
  const rows = await db.knex(changes.name).select(changes.names).whereIn('version', ofVersions)
  return byKey(rows.map((raw) => changes.decode(raw)))
}

/** For each setting, the newest change up to a version. With `keys`, only for these settings. */
export const listAt = async (db: Db, version: number, keys?: readonly string[]): Promise<readonly ChangeRow[]> => {
  const query = db
    .knex(`${changes.name} as c`)
    .select(changes.namesOf('c'))
    .whereRaw('c.version = (select max(p.version) from setting_change p where p.key = c.key and p.version <= ?)', [version])
  if (keys !== undefined) query.whereIn('c.key', keys)
  return byKey((await query).map((raw) => changes.decode(raw)))
}
