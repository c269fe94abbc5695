import type { SystemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Database, Db, Tx } from '../core/db/database.ts'
import { lockMigrations, type MigrationList, migrateDown, migrateUp, migrateWithin, migrationStatus } from '../core/db/migrate.ts'
import { schemaModelOf } from '../core/db/schema-model.ts'
import type { RestoreStep } from '../core/queue.ts'
import { backupErrors, backupEvents } from './contract.ts'
import { type BackupContent, readBackup } from './file/read.ts'
import type { TableStart } from './rules/format.ts'
import { deleteAllRows, insertRows } from './store/rows.ts'
import { describeTables, listTableNames, type TableShape } from './store/schema.ts'
import { analyze, deleteSeeds, listFilled, lockTables, resetSequences, withoutForeignKeys } from './store/target.ts'

export interface Restored {
  readonly tables: number
  readonly rows: number
  /** Names of the migrations that ran after the restore, because the backup is older. */
  readonly migrated: readonly string[]
  /** How many waiting deliveries were cancelled, by kind. They may have been sent after the backup was made, and must not be sent twice. */
  readonly held: Readonly<Record<string, number>>
  /** How many sessions, tokens and codes from the backup were ended, by kind. */
  readonly ended: Readonly<Record<string, number>>
  /** Resources that became valid again by the restore, by kind. Operators may have ended or deleted them after the backup was made. */
  readonly comingBack: Readonly<Record<string, readonly string[]>>
}

interface Order {
  readonly file: string
  /** The content of the backup, which has been verified. */
  readonly content: BackupContent
  readonly isQueueHeld: boolean
  /** True to keep sessions, tokens and codes. The operator confirms with it that none of them was ended after the backup was made. */
  readonly isAccessKept: boolean
  /** Runs immediately before the commit. If it throws, everything is rolled back. */
  readonly beforeCommit: () => Promise<void>
}

/**
 * Fills the database of this instance from a backup, in one transaction. Throws DATABASE_IS_NOT_EMPTY, BACKUP_NOT_SUPPORTED and
 * BACKUP_DAMAGED. After an error, the database contains at most empty tables.
 */
export type Restore = (principal: SystemPrincipal, order: Order) => Promise<Restored>

interface Deps extends Pick<Core, 'clock' | 'events'> {
  readonly database: Database
  readonly migrations: MigrationList
  readonly restoreSteps: () => readonly RestoreStep[]
  /** Tables whose rows give access, such as sessions, each with a word for its rows. A table that refers to another one comes before it. */
  readonly access: () => Readonly<Record<string, string>>
  readonly comingBack: () => readonly ((db: Db, most: number) => Promise<Readonly<Record<string, readonly string[]>>>)[]
}

const notEmpty = (name: string, tables: readonly string[]) =>
  backupErrors.error('DATABASE_IS_NOT_EMPTY', {
    message:
      `A backup is restored into an empty database only, and ${name} has rows in ${tables.slice(0, 5).join(', ')}${tables.length > 5 ? ', …' : ''}. ` +
      'Name another database with --database-url or GATEHOUSE_DATABASE_URL, or move the SQLite file away. Nothing was restored.',
  })

const notSupported = (why: string) => backupErrors.error('BACKUP_NOT_SUPPORTED', { message: `${why} Nothing was restored.` })

const columnsOf = ({ columns }: Pick<TableShape, 'columns'>) =>
  columns
    .map(({ name, kind }) => `${name} ${kind}`)
    .sort()
    .join(', ')

/**
 * Throws if the tables of the database differ from those in the backup. A development version of gatehouse can have different tables
 * after the same migrations.
 */
const checkShapes = (tables: readonly TableShape[], inBackup: readonly TableStart[]) => {
  const here = new Map(tables.map((table) => [table.name, columnsOf(table)]))
  const there = new Map(inBackup.map((table) => [table.table, columnsOf(table)]))
  const differing = [...new Set([...here.keys(), ...there.keys()])].filter((name) => here.get(name) !== there.get(name))
  if (differing.length > 0)
    throw notSupported(`The tables of the backup are not those that its migrations make here (${differing.join(', ')}).`)
}

/** How many resources of each kind are listed at most. */
const mostListed = 100

export const createRestore = ({ clock, events, database, migrations, restoreSteps, access, comingBack }: Deps): Restore => {
  const now = () => clock.now()

  /** Migrates the empty database to the schema of the backup. That schema may be older than the present one. */
  const prepareSchema = async ({ header }: BackupContent) => {
    const unknown = header.migrations.filter((name) => migrations[name] === undefined)
    if (unknown.length > 0)
      throw notSupported(
        `The backup was made by gatehouse ${header.gatehouse}, which is newer: its schema has ${unknown.join(', ')}. Restore it with that version.`,
      )
    const { done } = await migrationStatus(database, migrations)
    const filled =
      done.length === 0
        ? await listTableNames(database.db)
        : await listFilled(database.db, await describeTables(database.db, await schemaModelOf(migrations, done)))
    if (filled.length > 0) throw notEmpty(database.name, filled)
    // Reverting migrations loses no data, because all tables are empty.
    while ((await migrationStatus(database, migrations)).done.some((name) => !header.migrations.includes(name)))
      if ((await migrateDown(database, migrations)) === undefined) break
    const wanted = Object.fromEntries(Object.entries(migrations).filter(([name]) => header.migrations.includes(name)))
    await migrateUp(database, wanted, now)
  }

  const insertAll = async (tx: Tx, { file, content }: Order) => {
    let current: TableStart | undefined
    const again = await readBackup(file, {
      table: async (table) => {
        current = table
      },
      rows: async (rows) => {
        if (current === undefined) throw new Error('rows before their table')
        const columns = current.columns.map(({ name }) => name)
        await insertRows(tx, current.table, columns, rows)
      },
    })
    if (again.trailer.sha256 !== content.trailer.sha256)
      throw backupErrors.error('BACKUP_DAMAGED', {
        message: `${file} was replaced while it was being restored. Nothing was restored.`,
      })
  }

  const runSteps = async (tx: Tx, isQueueHeld: boolean) => {
    const held: Record<string, number> = {}
    for (const step of restoreSteps()) Object.assign(held, await step(tx, { isQueueHeld }))
    return held
  }

  /** Deletes all sessions, tokens and codes, because the backup cannot know which of them were ended later. */
  const endAccess = async (tx: Tx): Promise<Readonly<Record<string, number>>> => {
    const ended: Record<string, number> = {}
    for (const [table, name] of Object.entries(access())) {
      const count = await deleteAllRows(tx, table)
      if (count > 0) ended[name] = (ended[name] ?? 0) + count
    }
    return ended
  }

  const listComingBack = async (tx: Tx): Promise<Restored['comingBack']> => {
    const found: Record<string, readonly string[]> = {}
    for (const list of comingBack()) Object.assign(found, await list(tx, mostListed))
    return found
  }

  return async (principal, order) => {
    const { content, isQueueHeld, isAccessKept } = order
    await prepareSchema(content)
    const own = await schemaModelOf(migrations, content.header.migrations)
    return database.fill(async (tx) => {
      await lockMigrations(tx)
      const tables = await describeTables(tx, own)
      await lockTables(tx, tables)
      // This is checked a second time, because a daemon may have begun to use the database since the first check.
      const filled = await listFilled(tx, tables)
      if (filled.length > 0) throw notEmpty(database.name, filled)
      checkShapes(tables, content.tables)
      await deleteSeeds(tx, tables)
      await withoutForeignKeys(tx, tables, () => insertAll(tx, order))
      await resetSequences(tx, tables)
      const migrated = await migrateWithin(tx, migrations, now())
      const held = await runSteps(tx, isQueueHeld)
      const ended = isAccessKept ? {} : await endAccess(tx)
      const { header, total, trailer } = content
      const { madeAt, gatehouse, database: from } = header
      const data = { madeAt, gatehouse, from, rows: total.rows, sha256: trailer.sha256, held, ended }
      await events.record(tx, principal, backupEvents['instance.restored'], { subject: trailer.sha256.slice(0, 32), data })
      await analyze(tx)
      await order.beforeCommit()
      return { tables: total.tables, rows: total.rows, migrated, held, ended, comingBack: await listComingBack(tx) }
    })
  }
}
