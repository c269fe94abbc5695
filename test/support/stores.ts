/** Calls a store on SQLite and on PostgreSQL and compares what it answers: the files of `test/stores`. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
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

/** One of the two databases, migrated and empty but for what the scenario inserts. */
export interface StorePlace<S extends Store> {
  readonly db: Db
  readonly transact: Transact
  /** The store; each call of one of its functions is recorded with its answer, or with the code of its error. */
  readonly store: S
  /** Inserts the rows of `support/rows.ts` for these tables, parents first, each with changes if wanted: `seed('user', 'organization')`. */
  seed(...tables: readonly string[]): Promise<void>
  /** Inserts a row: the one of `support/rows.ts`, if it has one, with changes. */
  insert(table: string, changes: Readonly<Record<string, unknown>>): Promise<void>
  /** Records something else that must be the same on both databases; it counts as a call of the function with this name. */
  note(name: keyof S & string, answer: unknown): void
  /** Deletes the rows that a function of the store calls outdated, and records how many there were and are deleted. */
  sweep(name: keyof S & string, outdated: Outdated): Promise<void>
  /** Reads a part of what a person downloads, and records it. */
  own(name: keyof S & string, part: PersonalData, owner: DataOwner): Promise<void>
}

interface Call {
  readonly name: string
  readonly answer: unknown
}

const rowOf = (table: string) => rows.find(([name]) => name === table)?.[1]

/** What differs between the databases by design is not compared: the text of an error, and the class of the driver's. */
const failureOf = (failure: unknown): string => {
  if (uniqueViolation(failure) !== undefined) return 'unique'
  if (isForeignKeyViolation(failure)) return 'foreign key'
  const { name } = (failure as Error).constructor
  return name === 'DatabaseError' ? 'Error' : name
}

const answerOf = async (work: () => unknown): Promise<{ answer: unknown; failure?: unknown }> => {
  try {
    return { answer: await work() }
  } catch (failure) {
    return { answer: { failed: failureOf(failure) }, failure }
  }
}

const placeOf = <S extends Store>(database: Database, module: S, calls: Call[]): StorePlace<S> => {
  const note = (name: string, answer: unknown) => void calls.push({ name, answer: structuredClone(answer) })
  const record =
    (name: string, work: (...args: readonly unknown[]) => unknown) =>
    async (...args: readonly unknown[]) => {
      const { answer, failure } = await answerOf(() => work(...args))
      note(name, answer)
      if (failure !== undefined) throw failure
      return answer
    }
  const store = Object.fromEntries(
    Object.entries(module).map(([name, value]) => [
      name,
      typeof value === 'function' ? record(name, value as (...args: readonly unknown[]) => unknown) : value,
    ]),
  ) as S
  const insert = async (table: string, changes: Readonly<Record<string, unknown>>) => {
    await database.db.knex(table).insert({ ...rowOf(table), ...changes })
  }
  return {
    db: database.db,
    transact: database.transact,
    store,
    insert,
    note,
    sweep: async (name, outdated) => {
      const count = await countRows(database.db, outdated)
      note(name, { count, deleted: await sweepOutdated(database.db, database.transact, outdated) })
    },
    own: async (name, part, owner) => {
      const found: unknown[] = []
      for await (const row of part.read(database.db, owner)) found.push(row)
      note(name, found)
    },
    seed: async (...tables) => {
      for (const [table] of rows) if (tables.includes(table)) await insert(table, {})
    },
  }
}

const isWatch = (value: unknown): value is { readonly sql: string } =>
  typeof value === 'object' && value !== null && typeof (value as { sql?: unknown }).sql === 'string'

const runOn = async <S extends Store>(
  { url }: { readonly url: string },
  module: S,
  scenario: (place: StorePlace<S>) => Promise<void>,
): Promise<readonly Call[]> => {
  const database = openDatabase({ url, poolMax: 4, synchronous: 'NORMAL' })
  const calls: Call[] = []
  try {
    await scenario(placeOf(database, module, calls))
    // What a job watches is a statement without values: it has to run.
    for (const value of Object.values(module)) if (isWatch(value)) await database.db.knex.raw(value.sql)
    return calls
  } finally {
    await database.destroy()
  }
}

interface Exceptions<S> {
  /** Functions that ask the database nothing by themselves. */
  readonly uncalled?: readonly (keyof S & string)[]
  /** Functions that promise no order: their lists are compared as sets. */
  readonly unordered?: readonly (keyof S & string)[]
}

const inOrder = (answer: unknown) => (Array.isArray(answer) ? answer.map((entry) => JSON.stringify(entry)).sort() : answer)

/** Defines the test of one store. `scenario` runs on each database; it calls every exported function, and each call must answer the same. */
export const compareStore = <S extends Store>(
  name: string,
  module: S,
  scenario: (place: StorePlace<S>) => Promise<void>,
  { uncalled = [], unordered = [] }: Exceptions<S> = {},
): void => {
  const comparable = (calls: readonly Call[]) =>
    calls.map((call) => (unordered.includes(call.name) ? { ...call, answer: inOrder(call.answer) } : call))
  test(`each function of ${name} answers on PostgreSQL what it answers on SQLite`, async () => {
    const directory = scratchDirectory('gatehouse-store-')
    const file = join(directory, 'gatehouse.db')
    copyFileSync(inject('sqliteTemplate'), file)
    const postgres = await createMigratedDatabase()
    try {
      const expected = await runOn({ url: `sqlite:${file}` }, module, scenario)
      expect(comparable(await runOn(postgres, module, scenario))).toEqual(comparable(expected))
      const called = new Set(expected.map((call) => call.name))
      const functions = Object.entries(module).flatMap(([key, value]) => (typeof value === 'function' ? [key] : []))
      expect(functions.filter((key) => !called.has(key) && !uncalled.includes(key))).toEqual([])
    } finally {
      await postgres.drop()
      rmSync(directory, { recursive: true, force: true })
    }
  })
}
