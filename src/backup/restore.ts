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
  /** Migrations that ran because they are newer than the backup. */
  readonly migrated: readonly string[]
  /** Number of cancelled deliveries, by name. They were cancelled so that no delivery is repeated. */
  readonly held: Readonly<Record<string, number>>
  /** Number of ended sessions, tokens and codes from the backup, by name. */
  readonly ended: Readonly<Record<string, number>>
  /** Resources that are valid again after the restore, by kind. Operators may have ended them after the backup was made. */
  readonly comingBack: Readonly<Record<string, readonly string[]>>
}

interface Order {
  readonly file: string
  /** The verified file. */
  readonly content: BackupContent
  readonly isQueueHeld: boolean
  /** Keeps sessions, tokens and codes. The operator confirms that none was ended since the backup. */
  readonly isAccessKept: boolean
  /** Runs right before the commit; an error rolls everything back. */
  readonly beforeCommit: () => Promise<void>
}

/**
 * Fills the database of this instance in one transaction. Throws DATABASE_IS_NOT_EMPTY, BACKUP_NOT_SUPPORTED and BACKUP_DAMAGED; after an
 * error the database has at most empty tables.
 */
export type Restore = (principal: SystemPrincipal, order: Order) => Promise<Restored>

interface Deps extends Pick<Core, 'clock' | 'events'> {
  readonly database: Database
  readonly migrations: MigrationList
  readonly restoreSteps: () => readonly RestoreStep[]
  /** Tables whose rows give access, each with a word for its rows. Tables that refer to others come first. */
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
 * Compares the schema with that of the backup, because a development version of gatehouse may have different tables after the same
 * migrations.
 */
const checkShapes = (tables: readonly TableShape[], inBackup: readonly TableStart[]) => {
  const here = new Map(tables.map((table) => [table.name, columnsOf(table)]))
  const there = new Map(inBackup.map((table) => [table.table, columnsOf(table)]))
  const differing = [...new Set([...here.keys(), ...there.keys()])].filter((name) => here.get(name) !== there.get(name))
  if (differing.length > 0)
    throw notSupported(`The tables of the backup are not those that its migrations make here (${differing.join(', ')}).`)
}

/** Largest number of resources that are listed of a kind. */
const mostListed = 100

export const createRestore = ({ clock, events, database, migrations, restoreSteps, access, comingBack }: Deps): Restore => {
  const now = () => clock.now()

  /** Migrates the empty database to the schema of the backup, which may be older. */
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
    // All tables are empty, so no data is lost.
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

  /** Deletes sessions, tokens and codes: the backup does not know which of them have been ended since. */
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
      // Checked a second time, because a daemon may have begun to use the database meanwhile.
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
