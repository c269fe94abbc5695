import type { Knex } from 'knex'
import { listForeignColumns, sortByCodePoints } from './collation.ts'
import type { Database, Tx } from './database.ts'
import { isPostgresDialect } from './knex-parts.ts'

export type MigrationList = Readonly<Record<string, Knex.Migration>>

/** Thrown when a newer version of gatehouse has migrated the database. */
export class SchemaTooNewError extends Error {
  readonly refusal = 'SCHEMA_TOO_NEW'
  constructor(unknown: readonly string[]) {
    super(
      `The database has migrations this version of gatehouse does not know (${unknown.join(', ')}): it was used by a newer version. ` +
        'Start that version, or restore a backup made before the upgrade.',
    )
    this.name = 'SchemaTooNewError'
  }
}

/** Thrown when the database comes from a version before the first release. Tables of such a version cannot be migrated. */
export class SchemaUnreleasedError extends Error {
  readonly refusal = 'SCHEMA_UNRELEASED'
  constructor(done: readonly string[]) {
    super(
      `The database was made by a gatehouse from before its first release (${done[0]} to ${done.at(-1)}), whose tables cannot be upgraded. ` +
        'Set GATEHOUSE_DATABASE_URL to an empty database, or move the SQLite file away, and run migrate.',
    )
    this.name = 'SchemaUnreleasedError'
  }
}

export interface MigrationStatus {
  readonly done: readonly string[]
  readonly pending: readonly string[]
}

const tableName = 'schema_migration'
/** The number of the advisory lock for migrations on PostgreSQL. Any other constant number would do. */
const advisoryLock = 7_251_120_261

const isMissingTable = (error: unknown) => {
  const { code, message } = error as { code?: string; message?: string }
  return code === '42P01' || /no such table/.test(message ?? '')
}

/** True for the error of a statement that uses a table or column which only a later migration creates. */
export const isOfLaterSchema = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  return code === '42703' || isMissingTable(error) || /SQLITE_ERROR: (no such column|table \w+ has no column)/.test(message ?? '')
}

const readDone = async (knex: Knex): Promise<string[]> => {
  try {
    const rows: { name: string }[] = await knex(tableName).select('name').orderBy('name')
    return rows.map((row) => row.name)
  } catch (error) {
    if (isMissingTable(error)) return []
    throw error
  }
}

const compare = (list: MigrationList, done: readonly string[]): MigrationStatus => {
  const names = Object.keys(list).sort()
  const [first] = names
  if (done.length > 0 && first !== undefined && !done.includes(first)) throw new SchemaUnreleasedError(done)
  const unknown = done.filter((name) => list[name] === undefined)
  if (unknown.length > 0) throw new SchemaTooNewError(unknown)
  return {
    done,
    pending: names.filter((name) => !done.includes(name)),
  }
}

/** Lists the migrations that have run and the migrations that have not. Throws `SchemaTooNewError` and `SchemaUnreleasedError`. */
export const migrationStatus = async (database: Pick<Database, 'db'>, list: MigrationList): Promise<MigrationStatus> =>
  compare(list, await readDone(database.db.knex))

const checkForeignKeys = async (trx: Knex) => {
  const rows: unknown[] = await trx.raw('PRAGMA foreign_key_check')
  if (rows.length > 0) throw new Error(`the migration leaves ${rows.length} rows whose parent is missing`)
}

/** Runs `make`. Text columns that `make` creates get a collation that compares by code points. */
const sortingByCodePoints = async (trx: Knex, make: () => PromiseLike<unknown>): Promise<void> => {
  if (!isPostgresDialect(trx)) return void (await make())
  const foreign = await listForeignColumns(trx, tableName)
  await make()
  await sortByCodePoints(trx, foreign)
}

/** Creates the table of completed migrations unless it exists. */
export const makeMigrationTable = async (trx: Knex): Promise<void> => {
  if (await trx.schema.hasTable(tableName)) return
  await sortingByCodePoints(trx, () =>
    trx.schema.createTable(tableName, (t) => {
      t.string('name', 255).primary()
      t.timestamp('done_at').notNullable()
    }),
  )
}

/** Runs one step in a transaction, under a lock that ends with the connection. So if the process is killed, no lock remains. */
const inLockedTransaction = async <T>(database: Database, knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> =>
  knex.transaction(async (trx) => {
    if (database.dialect === 'postgres') await trx.raw('select pg_advisory_xact_lock(?)', [advisoryLock])
    const result = await work(trx)
    if (database.dialect === 'sqlite') await checkForeignKeys(trx)
    return result
  })

/** Repeats `step` until it returns undefined. Returns all results before that. */
const repeat = async (database: Database, step: (trx: Knex.Transaction) => Promise<string | undefined>): Promise<string[]> => {
  const knex = database.migrationKnex()
  const names: string[] = []
  try {
    await inLockedTransaction(database, knex, makeMigrationTable)
    for (;;) {
      const name = await inLockedTransaction(database, knex, step)
      if (name === undefined) return names
      names.push(name)
    }
  } finally {
    await knex.destroy()
  }
}

const runNext = async (trx: Knex, list: MigrationList, now: Date): Promise<string | undefined> => {
  const [name] = compare(list, await readDone(trx)).pending
  const migration = name === undefined ? undefined : list[name]
  if (name === undefined || migration === undefined) return undefined
  await sortingByCodePoints(trx, () => migration.up(trx))
  await trx(tableName).insert({ name, done_at: now })
  return name
}

/**
 * Runs the pending migrations in the caller's transaction, and returns their names. The caller has opened the transaction with
 * `Database.fill`, which does not check foreign keys, and has called `lockMigrations`.
 */
export const migrateWithin = async (tx: Tx, list: MigrationList, now: Date): Promise<readonly string[]> => {
  const names: string[] = []
  for (;;) {
    const name = await runNext(tx.knex, list, now)
    if (name === undefined) break
    names.push(name)
  }
  if (!isPostgresDialect(tx.knex)) await checkForeignKeys(tx.knex)
  return names
}

/**
 * Keeps other processes from migrating until the transaction ends. On SQLite nothing needs to be done, because a writing transaction
 * already excludes all others.
 */
export const lockMigrations = async (tx: Tx): Promise<void> => {
  if (isPostgresDialect(tx.knex)) await tx.knex.raw('select pg_advisory_xact_lock(?)', [advisoryLock])
}

/** Name of the table that lists the completed migrations. */
export const migrationTable = tableName

/**
 * Runs the pending migrations and returns their names. Several processes may call this function at the same time. Throws
 * `SchemaTooNewError` and `SchemaUnreleasedError`.
 */
export const migrateUp = (database: Database, list: MigrationList, now: () => Date): Promise<string[]> =>
  repeat(database, (trx) => runNext(trx, list, now()))

/** Reads the names of all tables with their columns. */
const readShape = async (trx: Knex, dialect: Database['dialect']): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows: readonly { table: string; column: string }[] =
    dialect === 'sqlite'
      ? await trx
          .from(trx.raw('sqlite_master as m, pragma_table_info(m.name) as p'))
          .where('m.type', 'table')
          .whereRaw("substr(m.name, 1, 7) <> 'sqlite_'")
          .select('m.name as table', 'p.name as column')
      : await trx('information_schema.columns')
          .whereRaw('table_schema = current_schema()')
          .orderBy(['table_name', 'ordinal_position'])
          .select('table_name as table', 'column_name as column')
  const tables = Map.groupBy(rows, ({ table }) => table)
  return new Map([...tables].map(([name, columns]) => [name, columns.map(({ column }) => column)]))
}

const countOf = async (query: Knex.QueryBuilder): Promise<number> =>
  Number((await query.count({ count: '*' }).first())?.['count'])

/** Describes the tables and columns of the schema `before` that the schema `after` lacks, with the number of rows in them. */
const lossOf = async (trx: Knex, before: Shape, after: Shape): Promise<readonly string[]> => {
  const lost: string[] = []
  for (const [name, columns] of before) {
    const left = after.get(name)
    if (left === undefined) lost.push(`table ${name} with ${await countOf(trx(name))} rows`)
    else
      for (const column of columns.filter((one) => !left.includes(one)))
        lost.push(`column ${name}.${column} with ${await countOf(trx(name).whereNotNull(column))} values`)
  }
  return lost
}

type Shape = Awaited<ReturnType<typeof readShape>>

/**
 * Describes the data that would be lost if the last migration were undone. Undefined if none would. To find out, the migration is undone
 * in a transaction that is then rolled back.
 */
export const previewDown = async (
  database: Database,
  list: MigrationList,
): Promise<{ readonly name: string; readonly lost: readonly string[] } | undefined> => {
  const knex = database.migrationKnex()
  const { dialect } = database
  try {
    const name = compare(list, await readDone(knex)).done.at(-1)
    const down = name === undefined ? undefined : list[name]?.down
    if (name === undefined || down === undefined) return undefined
    const before = await readShape(knex, dialect)
    const trial = await knex.transaction()
    try {
      await down(trial)
      const after = await readShape(trial, dialect)
      await trial.rollback()
      return { name, lost: await lossOf(knex, before, after) }
    } finally {
      if (!trial.isCompleted()) await trial.rollback()
    }
  } finally {
    await knex.destroy()
  }
}

/** Undoes the last migration and returns its name. Undefined if no migration has run. */
export const migrateDown = async (database: Database, list: MigrationList): Promise<string | undefined> => {
  let taken = false
  const [name] = await repeat(database, async (trx) => {
    if (taken) return undefined
    taken = true
    const last = compare(list, await readDone(trx)).done.at(-1)
    const migration = last === undefined ? undefined : list[last]
    if (last === undefined || migration?.down === undefined) return undefined
    await migration.down(trx)
    await trx(tableName).where({ name: last }).delete()
    return last
  })
  return name
}
