import type { Knex } from 'knex'
import type { Db, Transact, Tx } from './database.ts'
import type { PreparedRead } from './driver.ts'
import { acquire, disposeOf, heldTo, release } from './knex-parts.ts'

/**
 * Thrown in a transaction if a row that it read before has changed meanwhile. The transaction is rolled back and repeated, as after a
 * serialization failure.
 */
export class OvertakenError extends Error {
  readonly code = '40001'
}

/** A prepared statement that writes, with its values. */
export interface PreparedWrite {
  readonly statement: PreparedRead
  /**
   * Only texts are allowed, because the driver never refuses a text. If it refused a value, the write would be missing although the
   * commit is already sent.
   */
  readonly values: readonly string[]
}

/** How a database begins and ends transactions. */
interface Sending {
  readonly begin: string
  /** Sends a statement on a connection, and emits the events that knex emits for a statement. */
  readonly send: (pool: Knex, connection: object, sql: string) => Promise<unknown>
  /** Sends a prepared write. The write is on its way before the function returns. */
  readonly write: (tx: Db, write: PreparedWrite) => Promise<unknown>
  /** True if statements can be sent on a connection before earlier ones are answered. The database runs them in order. */
  readonly isPipelined: boolean
  /** True if no other statement is sent until the begin is answered. */
  readonly isBeginAwaited: boolean
}

/**
 * A transaction on its connection. Making a knex object for it costs as much as two prepared statements. So that object is made only if
 * the caller builds statements with knex.
 */
export class Running implements Db {
  readonly pool: Knex
  readonly connection: object
  /** True if `work` sends only one statement, without a transaction. */
  readonly isSingle: boolean
  readonly finishing: (() => Promise<void>)[] = []
  /** Makes the write that is sent together with the commit. */
  last: (() => PreparedWrite) | undefined
  readonly committed: (() => void)[] = []
  /** Names of the rows that this transaction has locked. */
  readonly locked = new Set<string>()
  #knex: Knex | undefined
  #isOver = false
  #sent = 0
  readonly #underway = new Set<Promise<unknown>>()
  /** The error with which the database refused to begin the transaction. Undefined if it did not. */
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

  /** Called before each statement. Throws if the transaction has ended, because its connection may already serve another transaction. */
  begin(): void {
    this.#expectOpen()
    this.#sent += 1
    if (this.isSingle && this.#sent > 1) throw new Error('a second statement where one is all: it needs a transaction')
  }

  /** Sends a statement. It is sent before the first `await`, because the transaction could end meanwhile. */
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

  /**
   * Waits until all statements are answered. Without this wait, the end of the transaction could overtake a statement on SQLite, and that
   * statement would be committed by itself.
   */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underway)
  }

  #expectOpen(): void {
    if (this.#isOver) throw new Error('the transaction has ended')
    if (this.#refusal !== undefined) throw this.#refusal.error
  }

  /** Called if the database did not begin the transaction. From now on no statement is sent, because it would be committed by itself. */
  refuse(error: unknown): void {
    this.#refusal = { error }
  }

  /**
   * If the database did not begin the transaction, returns that error, because it says more than the errors of later statements.
   * Otherwise returns `error`.
   */
  reasonOf(error: unknown): unknown {
    return this.#refusal === undefined ? error : this.#refusal.error
  }

  end(): void {
    this.#isOver = true
  }
}

/** Turns a running transaction into a `Tx`. Only this module does so. `Tx` differs from other types only for the compiler. */
const writable = (running: Running): Running & Tx => running as Running & Tx

/** The `Running` behind a transaction, for this module. Throws for a handle that is not a transaction. */
const runningOf = (tx: Tx): Running => {
  if (tx instanceof Running) return tx
  throw new Error('not a transaction of the database layer')
}

/** The statements that end a transaction. */
export const endings: Readonly<Record<'commit' | 'rollback', string>> = { commit: 'COMMIT;', rollback: 'ROLLBACK;' }

/** Rolls a transaction back. If that fails, the connection is closed, because nobody knows what its next commit would store. */
const rollback = async (send: Sending['send'], { pool, connection }: Running) => {
  try {
    await send(pool, connection, endings.rollback)
  } catch (error) {
    // This error is harmless: after some errors SQLite rolls back by itself.
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
 * Commits, and sends the last write together with the commit. On PostgreSQL both can be sent at once, because a commit after a failed
 * statement is answered with a rollback. If the begin failed, this is noticed: either it was already answered, or the last write fails
 * with its error.
 */
const commit = async ({ send, write, isPipelined }: Sending, running: Running, begun: Promise<unknown>): Promise<void> => {
  const { pool, connection, last } = running
  const written = last === undefined ? undefined : write(running, last())
  running.end()
  if (!isPipelined) await written
  await allOf([begun, ...(written === undefined ? [] : [written]), send(pool, connection, endings.commit)])
}

/** Runs `work` in a transaction on a connection of the pool. If `work` throws, the transaction is rolled back. */
export const inTransaction = async <T>(pool: Knex, sending: Sending, work: (tx: Tx) => Promise<T>): Promise<T> => {
  const { begin, send, isBeginAwaited } = sending
  const connection = await acquire(pool)
  const running = new Running(pool, connection, false)
  try {
    const begun = send(pool, connection, begin)
    // Before each statement, and before the commit, it is checked whether the begin has failed.
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

/** Runs `work`, which sends a single statement, without a transaction. */
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

/**
 * Repeats a transaction that failed because of a deadlock or a serialization failure. Nothing happens twice, because the failed
 * transaction was rolled back.
 */
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

/** True if this transaction has not locked the name before. */
export const isFirstLock = (tx: Tx, name: string): boolean => {
  const { locked } = runningOf(tx)
  if (locked.has(name)) return false
  locked.add(name)
  return true
}

/**
 * Makes the object that services use as their database from a transaction of the caller. So a service can run its use cases in that
 * transaction.
 */
export const joining = (tx: Tx): { readonly db: Db; readonly transact: Transact } => ({
  db: tx,
  transact: (work) => work(tx),
})

/** Runs `work` just before the transaction commits. If `work` throws, the transaction is rolled back. */
export const beforeCommit = (tx: Tx, work: () => Promise<void>): void => {
  const { isSingle, finishing } = runningOf(tx)
  if (isSingle) throw new Error('nothing is written before a commit where one statement is all: it needs a transaction')
  finishing.push(work)
}

/**
 * Sends the write that `make` returns as the last statement of the transaction, together with the commit. A transaction can have only one
 * such write.
 */
export const writeLast = (tx: Tx, make: () => PreparedWrite): void => {
  const running = runningOf(tx)
  if (running.isSingle) throw new Error('nothing is written before a commit where one statement is all: it needs a transaction')
  if (running.last !== undefined) throw new Error('another statement is the last of this transaction already')
  running.last = make
}

/** Runs `work` after the transaction has committed. If it is rolled back, `work` does not run. */
export const afterCommit = (tx: Tx, work: () => void): void => {
  runningOf(tx).committed.push(work)
}
