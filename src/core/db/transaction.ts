import type { Knex } from 'knex'
import type { Db, Transact, Tx } from './database.ts'
import type { PreparedRead } from './driver.ts'
import { acquire, disposeOf, heldTo, release } from './knex-parts.ts'

/**
 * Thrown in a transaction whose rows have changed since they were read. The transaction is rolled back and repeated, as after a
 * serialization failure.
 */
export class OvertakenError extends Error {
  readonly code = '40001'
}

/** A prepared write with its values. */
export interface PreparedWrite {
  readonly statement: PreparedRead
  /** Only texts, which the driver never refuses. The commit is already sent, so a refused write would be missing from it. */
  readonly values: readonly string[]
}

/** How a database begins and ends a transaction. */
interface Sending {
  readonly begin: string
  /** Sends a statement to a connection. Emits the events that knex emits. */
  readonly send: (pool: Knex, connection: object, sql: string) => Promise<unknown>
  /** Sends a prepared write before it returns a promise. */
  readonly write: (tx: Db, write: PreparedWrite) => Promise<unknown>
  /** True if the connection accepts further statements before it has answered earlier ones, and runs them in order. */
  readonly isPipelined: boolean
  /** True if other statements are sent only after the begin is answered. */
  readonly isBeginAwaited: boolean
}

/**
 * A transaction on its connection. A knex object for it costs as much as two prepared statements, so it is made only for callers that
 * build statements with knex.
 */
export class Running implements Db {
  readonly pool: Knex
  readonly connection: object
  /** True if the only statement runs without a transaction. */
  readonly isSingle: boolean
  readonly finishing: (() => Promise<void>)[] = []
  /** Statements that are sent together with the commit. */
  last: (() => PreparedWrite) | undefined
  readonly committed: (() => void)[] = []
  /** Rows that the transaction has locked. */
  readonly locked = new Set<string>()
  #knex: Knex | undefined
  #isOver = false
  #sent = 0
  readonly #underway = new Set<Promise<unknown>>()
  /** Why the database did not begin the transaction. */
  #refusal: { readonly error: unknown } | undefined

  constructor(pool: Knex, connection: object, isSingle: boolean) {
    this.pool = pool
    this.connection = connection
    this.isSingle = isSingle
  }

  get knex(): Knex {
    this.#knex ??= heldTo(this.pool, this.connection, {
      begin: () => this.begin(),
      sending: (send) => this.sending(send),
    })
    return this.#knex
  }

  /** Called before each statement. Throws after the end of the transaction, because its connection may then serve another one. */
  begin(): void {
    this.#expectOpen()
    this.#sent += 1
    if (this.isSingle && this.#sent > 1) throw new Error('a second statement where one is all: it needs a transaction')
  }

  /** Sends a statement at once, because the transaction may end before this function returns. */
  async sending<T>(send: () => Promise<T>): Promise<T> {
    this.#expectOpen()
    const sent = send()
    this.#underway.add(sent)
    try {
      return await sent
    } finally {
      this.#underway.delete(sent)
    }
  }

  /** Waits for all answers. On SQLite the end of a transaction may overtake a statement, which would then be committed by itself. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underway)
  }

  #expectOpen(): void {
    if (this.#isOver) throw new Error('the transaction has ended')
    if (this.#refusal !== undefined) throw this.#refusal.error
  }

  /** Stops sending. Without a transaction, each statement would be committed by itself. */
  refuse(error: unknown): void {
    this.#refusal = { error }
  }

  /** The error of a failed begin if there is one, since it says more than the errors of later statements. Otherwise `error`. */
  reasonOf(error: unknown): unknown {
    return this.#refusal === undefined ? error : this.#refusal.error
  }

  end(): void {
    this.#isOver = true
  }
}

/** Only this module creates transactions, so only here a value becomes a `Tx`. The mark of `Tx` exists only for the compiler. */
const writable = (running: Running): Running & Tx => running as Running & Tx

/** The inner part of a transaction, for the database layer. Throws for a handle outside of a transaction. */
const runningOf = (tx: Tx): Running => {
  if (tx instanceof Running) return tx
  throw new Error('not a transaction of the database layer')
}

/** The statements that end a transaction. */
export const endings: Readonly<Record<'commit' | 'rollback', string>> = { commit: 'COMMIT;', rollback: 'ROLLBACK;' }

/** Rolls a transaction back. If this fails, the connection is dropped, because its next commit would be unpredictable. */
const rollback = async (send: Sending['send'], { pool, connection }: Running) => {
  try {
    await send(pool, connection, endings.rollback)
  } catch (error) {
    // After some errors SQLite has already rolled back by itself.
    if (!/no transaction is active/.test((error as Error).message)) disposeOf(connection, error)
  }
}

const tellCommitted = ({ committed }: Running) => {
  for (const tell of committed) void Promise.resolve().then(tell)
}

/** Throws the first error after all promises are settled. */
const allOf = async (sent: readonly Promise<unknown>[]): Promise<void> => {
  for (const outcome of await Promise.allSettled(sent)) if (outcome.status === 'rejected') throw outcome.reason
}

/**
 * Commits together with the last statements. If they fail, PostgreSQL answers the commit with a rollback, so both can be sent at once. A
 * failed begin is noticed: it was answered before, or the later statements fail with its error.
 */
const commit = async ({ send, write, isPipelined }: Sending, running: Running, begun: Promise<unknown>): Promise<void> => {
  const { pool, connection, last } = running
  const written = last === undefined ? undefined : write(running, last())
  running.end()
  if (!isPipelined) await written
  await allOf([begun, ...(written === undefined ? [] : [written]), send(pool, connection, endings.commit)])
}

/** Runs `work` in a transaction on a connection of the pool. An error rolls the transaction back. */
export const inTransaction = async <T>(pool: Knex, sending: Sending, work: (tx: Tx) => Promise<T>): Promise<T> => {
  const { begin, send, isBeginAwaited } = sending
  const connection = await acquire(pool)
  const running = new Running(pool, connection, false)
  try {
    const begun = send(pool, connection, begin)
    // Each statement, and the commit, checks whether the begin has failed.
    begun.catch((error) => running.refuse(error))
    let result: T
    try {
      if (isBeginAwaited) await begun
      result = await work(writable(running))
      for (const finish of running.finishing) await finish()
      await commit(sending, running, begun)
    } catch (error) {
      running.end()
      await running.settled()
      await rollback(send, running)
      throw running.reasonOf(error)
    }
    tellCommitted(running)
    return result
  } finally {
    release(pool, connection)
  }
}

/** Runs `work` without a transaction. It sends a single statement. */
export const withoutTransaction = async <T>(pool: Knex, work: (tx: Tx) => Promise<T>): Promise<T> => {
  const connection = await acquire(pool)
  const running = new Running(pool, connection, true)
  try {
    const result = await work(writable(running))
    tellCommitted(running)
    return result
  } finally {
    running.end()
    await running.settled()
    release(pool, connection)
  }
}

const attempts = 3

/** Repeats a transaction after a deadlock or a serialization failure. It was rolled back, so nothing happens twice. */
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

/** True when this transaction locks the name for the first time. */
export const isFirstLock = (tx: Tx, name: string): boolean => {
  const { locked } = runningOf(tx)
  if (locked.has(name)) return false
  locked.add(name)
  return true
}

/** Takes the place of the database in services whose use cases run in a transaction of the caller. */
export const joining = (tx: Tx): { readonly db: Db; readonly transact: Transact } => ({
  db: tx,
  transact: (work) => work(tx),
})

/** Runs `work` just before the commit. An error rolls the transaction back. */
export const beforeCommit = (tx: Tx, work: () => Promise<void>): void => {
  const { isSingle, finishing } = runningOf(tx)
  if (isSingle) throw new Error('nothing is written before a commit where one statement is all: it needs a transaction')
  finishing.push(work)
}

/** Sends the write that `make` returns as the last statement, together with the commit. A transaction can have one such write. */
export const writeLast = (tx: Tx, make: () => PreparedWrite): void => {
  const running = runningOf(tx)
  if (running.isSingle) throw new Error('nothing is written before a commit where one statement is all: it needs a transaction')
  if (running.last !== undefined) throw new Error('another statement is the last of this transaction already')
  running.last = make
}

/** Runs `work` after the commit, and never after a rollback. */
export const afterCommit = (tx: Tx, work: () => void): void => {
  runningOf(tx).committed.push(work)
}
