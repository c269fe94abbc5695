import type { Knex } from 'knex'
import type { Db, Transact, Tx } from './database.ts'
import { acquire, disposeOf, heldTo, release } from './knex-parts.ts'

/** Thrown in a transaction when what it read has changed meanwhile: it is rolled back and repeated, as after a serialization failure. */
export class OvertakenError extends Error {
  readonly code = '40001'
}

/** Sends one statement to a connection; announced like those of knex. */
type Send = (pool: Knex, connection: object, sql: string) => Promise<unknown>

/**
 * A transaction on its connection. knex has an object for that too; making one costs as much as two prepared statements, so this one
 * makes a knex of its own only for who builds statements with it.
 */
export class Running implements Db {
  readonly pool: Knex
  readonly connection: object
  /** True where one statement is all, and no transaction was begun. */
  readonly isSingle: boolean
  readonly finishing: (() => Promise<void>)[] = []
  readonly committed: (() => void)[] = []
  /** Rows that it has locked. */
  readonly locked = new Set<string>()
  #knex: Knex | undefined
  #isOver = false
  #sent = 0

  constructor(pool: Knex, connection: object, isSingle: boolean) {
    this.pool = pool
    this.connection = connection
    this.isSingle = isSingle
  }

  get knex(): Knex {
    this.#knex ??= heldTo(this.pool, this.connection, () => this.begin())
    return this.#knex
  }

  /** Called before each statement. Throws when the transaction has ended: its connection is somebody else's by now. */
  begin(): void {
    if (this.#isOver) throw new Error('the transaction has ended')
    this.#sent += 1
    if (this.isSingle && this.#sent > 1) throw new Error('a second statement where one is all: it needs a transaction')
  }

  end(): void {
    this.#isOver = true
  }
}

/** Transactions are made here alone, so here alone something becomes a `Tx`, whose mark exists for the compiler only. */
const writable = (running: Running): Running & Tx => running as Running & Tx

/** What of a transaction only the database layer looks at. Throws for a reader that is none. */
const runningOf = (tx: Tx): Running => {
  if (tx instanceof Running) return tx
  throw new Error('not a transaction of the database layer')
}

/** What ends a transaction. */
export const endings: Readonly<Record<'commit' | 'rollback', string>> = { commit: 'COMMIT;', rollback: 'ROLLBACK;' }

/** Gives a transaction up. A connection that does not even do that is dropped, since nobody knows what it would commit. */
const rollback = async (send: Send, { pool, connection }: Running) => {
  try {
    await send(pool, connection, endings.rollback)
  } catch (error) {
    // SQLite has rolled back already after some errors.
    if (!/no transaction is active/.test((error as Error).message)) disposeOf(connection, error)
  }
}

const tellCommitted = ({ committed }: Running) => {
  for (const tell of committed) void Promise.resolve().then(tell)
}

/** Runs `work` in a transaction on a connection of the pool: all of it or, when it throws, nothing. */
export const inTransaction = async <T>(
  pool: Knex,
  { begin, send }: { readonly begin: string; readonly send: Send },
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  const connection = await acquire(pool)
  const running = new Running(pool, connection, false)
  try {
    await send(pool, connection, begin)
    let result: T
    try {
      result = await work(writable(running))
      for (const finish of running.finishing) await finish()
      running.end()
      await send(pool, connection, endings.commit)
    } catch (error) {
      running.end()
      await rollback(send, running)
      throw error
    }
    tellCommitted(running)
    return result
  } finally {
    release(pool, connection)
  }
}

/** Runs `work`, which sends one statement: that is all or nothing by itself. */
export const withoutTransaction = async <T>(pool: Knex, work: (tx: Tx) => Promise<T>): Promise<T> => {
  const connection = await acquire(pool)
  const running = new Running(pool, connection, true)
  try {
    const result = await work(writable(running))
    tellCommitted(running)
    return result
  } finally {
    running.end()
    release(pool, connection)
  }
}

const attempts = 3

/** Repeats a transaction that was the victim of a deadlock or was overtaken: it is known to be rolled back, so nothing happens twice. */
export const untilNoDeadlock = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const { code } = error as { code?: string }
      if (attempt === attempts || (code !== '40P01' && code !== '40001')) throw error
    }
  }
}

/** True the first time that this transaction locks the name. */
export const isFirstLock = (tx: Tx, name: string): boolean => {
  const { locked } = runningOf(tx)
  if (locked.has(name)) return false
  locked.add(name)
  return true
}

/** What a service gets in the place of the database whose use cases take part in a transaction that somebody else has begun. */
export const joining = (tx: Tx): { readonly db: Db; readonly transact: Transact } => ({
  db: tx,
  transact: (work) => work(tx),
})

/** Runs `work` just before the commit of the transaction; what it throws rolls the transaction back. */
export const beforeCommit = (tx: Tx, work: () => Promise<void>): void => {
  const { isSingle, finishing } = runningOf(tx)
  if (isSingle) throw new Error('nothing is written before a commit where one statement is all: it needs a transaction')
  finishing.push(work)
}

/** Runs `work` once the transaction is committed, and never when it is rolled back. */
export const afterCommit = (tx: Tx, work: () => void): void => {
  runningOf(tx).committed.push(work)
}
