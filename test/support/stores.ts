/** Calls a store on SQLite and on PostgreSQL and compares the answers. Used by the files in `test/stores`. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { describeTables, quoted, rowsOf, type TableColumn } from '../../src/backup/store/schema.ts'
import {
  type Database,
  type Db,
  isForeignKeyViolation,
  openDatabase,
  type Transact,
  uniqueViolation,
} from '../../src/core/db/database.ts'
import { countRows, type Outdated, sweepOutdated } from '../../src/core/db/sweep.ts'
import type { DataOwner, PersonalData } from '../../src/core/personal-data.ts'
import { createMigratedDatabase } from './database.ts'
import { rows } from './rows.ts'
import { scratchDirectory } from './scratch.ts'

type Store = Readonly<Record<string, unknown>>

/** One of the two databases. It is migrated, and contains only the rows that the scenario inserts. */
export interface StorePlace<S extends Store> {
  readonly db: Db
  readonly transact: Transact
  /** Runs a transaction in which rows may come before the rows they refer to, as in a restore. */
  readonly fill: Transact
  /**
   * The store. Each call of its functions is recorded with its answer, or with the kind of its error. For `Outdated` the chosen rows are
   * recorded, for an async iterable its items, and for personal data the rows of `read`.
   */
  readonly store: S
  /** Records another value that must be equal on both databases. It counts as a call of the function with this name. */
  note(name: keyof S & string, answer: unknown): void
  /** Deletes the rows that a function of the store calls outdated. Records how many rows were outdated and how many were deleted. */
  sweep(name: keyof S & string, outdated: Outdated): Promise<void>
  /** Reads a part of the data that a person downloads, and records it. */
  own(name: keyof S & string, part: PersonalData, owner: DataOwner): Promise<void>
  /**
   * Compares all rows of all tables at this moment, and the results of the store's watch statements. At the end of a scenario this
   * happens automatically.
   */
  compareRows(): Promise<void>
  /** Inserts the rows of `support/rows.ts` for these tables, parents first: `seed('user', 'organization')`. */
  seed(...tables: readonly string[]): Promise<void>
  /** Inserts a row. If `support/rows.ts` has a row for the table, the changes are applied to that row. */
  insert(table: string, changes: Readonly<Record<string, unknown>>): Promise<void>
}

interface Call {
  readonly name: string
  readonly answer: unknown
}

const rowOf = (table: string) => rows.find(([name]) => name === table)?.[1]

const errorKind = (error: unknown): string => {
  if (uniqueViolation(error) !== undefined) return 'unique violation'
  if (isForeignKeyViolation(error)) return 'foreign key violation'
  const { name } = (error as Error).constructor
  return name === 'DatabaseError' ? 'Error' : name
}

/** The text of an error and the class of a driver's error differ between the databases by design, so only the kind of an error is compared. */
const answerOf = async (work: () => unknown): Promise<{ answer: unknown; failure?: unknown }> => {
  try {
    return { answer: await work() }
  } catch (failure) {
    return { answer: { failed: errorKind(failure) }, failure }
  }
}

const has = <const K extends PropertyKey>(value: unknown, key: K): value is { readonly [key in K]: unknown } =>
  typeof value === 'object' && value !== null && key in value
const isOutdated = (value: unknown): value is Outdated => has(value, 'choose')
const isPersonalData = (value: unknown): value is PersonalData => has(value, 'read') && has(value, 'tables')
type Work = (...args: readonly unknown[]) => unknown

const byText = (list: readonly unknown[]) => list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** The answer in the form in which it is compared. */
const comparableOf = async ({ knex }: Db, answer: unknown): Promise<unknown> => {
  if (isOutdated(answer)) return byText(await answer.choose(knex(answer.table).select(...answer.key)).limit(500))
  if (!has(answer, Symbol.asyncIterator)) return structuredClone(answer)
  const items: unknown[] = []
  for await (const item of answer as AsyncIterable<unknown>) items.push(item)
  return items
}

const portable = ({ kind }: TableColumn, value: unknown): unknown => {
  if (value === null) return null
  if (kind === 'bool') return Boolean(value)
  if (kind === 'int') return String(value)
  return kind === 'time' ? new Date(value as Date | number) : value
}

/** The rows of each table that is not empty, in a form that is equal on both databases. */
const contentsOf = async (db: Db): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const contents: Record<string, readonly unknown[]> = {}
  const shapes = await describeTables(db)
  const ifFilled = shapes.map(
    ({ name }) => `select '${name.replaceAll("'", "''")}' as name where exists (select 1 from ${quoted(name)})`,
  )
  const filled = await rowsOf<{ name: string }>(db, ifFilled.join(' union all '))
  for (const { name, columns: all } of shapes.filter((shape) => filled.some((row) => row.name === shape.name))) {
    // `number` is the place of a text in SQLite's index. PostgreSQL skips the numbers of writes that failed.
    const columns = name.endsWith('_search_text') ? all.filter((column) => column.name !== 'number') : all
    const found: Record<string, unknown>[] = await db.knex(name)
    contents[name] = byText(found.map((row) => columns.map((column) => portable(column, row[column.name]))))
  }
  return contents
}

/** The statement without parameters that a store exports for a job to watch; undefined for other exports. */
const watchedSql = (value: unknown): string | undefined => {
  const sql = has(value, 'sql') ? value.sql : value
  return typeof sql === 'string' && sql.startsWith('select ') ? sql : undefined
}

/**
 * The result of each watch statement of a store. Results are compared as numbers if possible, because SQLite has 1 for true and
 * milliseconds for a time.
 */
const watchedBy = async (db: Db, module: Store): Promise<readonly unknown[]> => {
  const values: unknown[] = []
  for (const sql of Object.values(module).map(watchedSql)) {
    if (sql === undefined) continue
    const [value = null] = Object.values((await rowsOf<Record<string, unknown>>(db, sql))[0] ?? {})
    values.push(value === null || Number.isNaN(Number(value)) ? value : Number(value))
  }
  return values
}

const placeOf = <S extends Store>(database: Database, module: S, calls: Call[]): StorePlace<S> => {
  const record =
    (name: string, work: Work) =>
    async (...args: readonly unknown[]) => {
      const { answer, failure } = await answerOf(() => work(...args))
      calls.push({ name, answer: await comparableOf(database.db, answer) })
      if (failure !== undefined) throw failure
      return answer
    }
  const recorded = (name: string, value: unknown): unknown => {
    if (isPersonalData(value)) return { ...value, read: record(name, value.read as Work) }
    return typeof value === 'function' ? record(name, value as Work) : value
  }
  const store = Object.fromEntries(Object.entries(module).map(([name, value]) => [name, recorded(name, value)])) as S
  const insert = async (table: string, changes: Readonly<Record<string, unknown>>) => {
    await database.db.knex(table).insert({ ...rowOf(table), ...changes })
  }
  return {
    db: database.db,
    transact: database.transact,
    fill: database.fill,
    store,
    insert,
    note: (name, answer) => void calls.push({ name, answer: structuredClone(answer) }),
    sweep: async (name, outdated) => {
      const count = await countRows(database.db, outdated)
      calls.push({ name, answer: { count, deleted: await sweepOutdated(database.db, database.transact, outdated) } })
    },
    own: async (name, part, owner) =>
      void calls.push({ name, answer: await comparableOf(database.db, part.read(database.db, owner)) }),
    compareRows: async () =>
      void calls.push({ name: 'rows', answer: [await contentsOf(database.db), await watchedBy(database.db, module)] }),
    seed: async (...tables) => {
      for (const [table] of rows) if (tables.includes(table)) await insert(table, {})
    },
  }
}

const runOn = async <S extends Store>(
  { url }: { readonly url: string },
  module: S,
  scenario: (place: StorePlace<S>) => Promise<void>,
): Promise<readonly Call[]> => {
  const database = openDatabase({ url, poolMax: 4, synchronous: 'NORMAL' })
  const calls: Call[] = []
  try {
    const place = placeOf(database, module, calls)
    await scenario(place)
    await place.compareRows()
    return calls
  } finally {
    await database.destroy()
  }
}

interface Exceptions<S> {
  /** Functions that send nothing to the database themselves. */
  readonly uncalled?: readonly (keyof S & string)[]
  /** Functions that promise no order. Their lists are compared as sets. */
  readonly unordered?: readonly (keyof S & string)[]
}

const isEmpty = (answer: unknown): boolean =>
  answer === undefined ||
  answer === 0 ||
  (Array.isArray(answer) && answer.length === 0) ||
  (answer instanceof Map && answer.size === 0)

/** Cases that the calls of a scenario do not cover: a condition with only one outcome, or a read that finds nothing. */
const unshown = (calls: readonly Call[]): readonly string[] =>
  [...Map.groupBy(calls, ({ name }) => name)].flatMap(([name, made]) => {
    const answers = made.map(({ answer }) => answer)
    const missing = [true, false].filter((outcome) => !answers.includes(outcome))
    if (missing.length === 1) return [`${name} never answers ${missing[0]}`]
    const isRead = /^(find|list|page|read|take|consume)/.test(name) || answers.some((answer) => answer !== undefined)
    return isRead && answers.every(isEmpty) ? [`${name} finds nothing`] : []
  })

/**
 * Defines the test of one store. `scenario` runs on each database. It has to call every exported function, with both outcomes of a
 * condition. Each call must give equal answers.
 */
export const compareStore = <S extends Store>(
  name: string,
  module: S,
  scenario: (place: StorePlace<S>) => Promise<void>,
  { uncalled = [], unordered = [] }: Exceptions<S> = {},
): void => {
  const comparable = (calls: readonly Call[]) =>
    calls.map((call) =>
      unordered.includes(call.name) && Array.isArray(call.answer) ? { ...call, answer: byText(call.answer) } : call,
    )
  test(`each function of ${name} returns the same on PostgreSQL and SQLite`, async () => {
    const directory = scratchDirectory('gatehouse-store-')
    const file = join(directory, 'gatehouse.db')
    copyFileSync(inject('sqliteTemplate'), file)
    const postgres = await createMigratedDatabase()
    try {
      const expected = await runOn({ url: `sqlite:${file}` }, module, scenario)
      expect(comparable(await runOn(postgres, module, scenario))).toEqual(comparable(expected))
      const called = new Set(expected.map((call) => call.name))
      const callable = Object.entries(module).flatMap(([key, value]) =>
        typeof value === 'function' || isPersonalData(value) ? [key] : [],
      )
      expect(callable.filter((key) => !called.has(key) && !uncalled.includes(key))).toEqual([])
      expect(unshown(expected)).toEqual([])
    } finally {
      await postgres.drop()
      rmSync(directory, { recursive: true, force: true })
    }
  })
}
