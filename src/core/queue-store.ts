import { type Db, isPostgres, readPrepared, type Tx, writePrepared } from './db/database.ts'
import { readWindow } from './db/keyset.ts'
import type { Outdated } from './db/sweep.ts'
import { int, json, nullable, oneOf, type Row, sealedOrHash, table, text, time } from './db/table.ts'
import { type Cursor, type PlacedRows, timeAfter } from './page.ts'
import { record } from './stored-json.ts'

export const statuses = ['pending', 'running', 'done', 'dead'] as const
export type TaskStatus = (typeof statuses)[number]

export const sealContext = (id: string) => `task.payload.${id}`

const columns = {
  id: text,
  kind: text,
  /**
   * Tasks that have the same kind and the same key run one after the other, in the order in which they were enqueued. Null: the task
   * waits for no other.
   */
  key: nullable(text),
  /** What the task is about, in plain text. Features search tasks by their label, and operators recognise a task by it. */
  label: nullable(text),
  /** Further information about the task, stored in plain text. */
  details: nullable(json(() => record)),
  /** The payload as JSON, or as sealed JSON. Null after the task is done. */
  payload: nullable(sealedOrHash(sealContext)),
  status: oneOf(...statuses),
  /** How many attempts of the task have started. */
  attempts: int,
  /** For a pending task, the earliest time when it may start. For a running task, the end of its lease. */
  dueAt: time,
  /** A random text, new for each start of the task. Only the worker that knows the current one can end the task. */
  leaseToken: nullable(text),
  lastError: nullable(text),
  createdAt: time,
  /** When a task that is done or dead is to be deleted. */
  expiresAt: nullable(time),
}
const tasks = table('task', columns)
export const { sealedColumns } = tasks
export type TaskRow = Row<typeof columns>

const isActive = (alias: string) => `${alias}.status in ('pending', 'running')`
/**
 * A condition that is true if no other task keeps the task `t` from starting: while a task of a key runs, all others of that key wait,
 * and a pending task waits for all earlier tasks of its key. The SQL has two conditions, because each of them is answered from an index
 * of its own.
 */
const isFirstOfKey =
  "(t.status = 'running' or t.key is null or (" +
  `not exists (select 1 from task e where e.kind = t.kind and e.key = t.key and ${isActive('e')} and e.sequence < t.sequence) ` +
  "and not exists (select 1 from task e where e.kind = t.kind and e.key = t.key and e.status = 'running')))"

/**
 * Selects the time when the next task of a kind can start, or null. The only row of a periodic kind never waits for a key, so its SQL is
 * shorter. That matters because one statement contains this SQL for all kinds, and each connection has to plan it.
 */
export const nextDue = (kind: string, isPeriodic: boolean): string => {
  const isNext = isPeriodic ? '' : ` and ${isFirstOfKey}`
  return `select t.due_at from task t where t.kind = '${kind}' and ${isActive('t')}${isNext} order by t.due_at limit 1`
}

const insertSql = `insert into task (${tasks.names.join(', ')}) values (${tasks.names.map(() => '?').join(', ')})`

/** Inserts a task. `notify` is an SQL expression that sends a notification. It is evaluated in the same statement. */
export const insertTask = async (tx: Tx, row: TaskRow, notify?: { readonly sql: string; readonly values: readonly string[] }) => {
  const values = tasks.values(row)
  if (notify === undefined) await writePrepared(tx, { name: 'task.insert', sql: insertSql }, values)
  else
    await writePrepared(tx, { name: 'task.insert-notify', sql: `${insertSql} returning ${notify.sql}` }, [
      ...values,
      ...notify.values,
    ])
}

/** Inserts a task unless a task with its id exists. */
export const insertOnce = async (tx: Tx, row: TaskRow): Promise<void> => {
  await tx.knex(tasks.name).insert(tasks.encode(row)).onConflict('id').ignore()
}

interface Claim {
  readonly kind: string
  readonly now: Date
  readonly leaseEnd: Date
  readonly leaseToken: string
  readonly limit: number
}

/** Starts at most `limit` tasks that are due. Throws a unique violation if another node has just started a task with the same key. */
export const claimTasks = async (tx: Tx, { kind, now, leaseEnd, leaseToken, limit }: Claim): Promise<readonly TaskRow[]> => {
  const due = `select t.sequence from task t where t.kind = ? and ${isActive('t')} and t.due_at <= ? and ${isFirstOfKey} order by t.due_at, t.sequence limit ?`
  const chosen = isPostgres(tx) ? `= any(array(${due} for update of t skip locked))` : `in (${due})`
  const set = "status = 'running', attempts = attempts + 1, due_at = ?, lease_token = ?"
  const sql = `update task set ${set} where sequence ${chosen} returning *`
  const rows = await writePrepared(tx, { name: 'task.claim', sql }, [leaseEnd, leaseToken, kind, now, limit])
  return [...rows].sort((a, b) => Number(a['sequence']) - Number(b['sequence'])).map((row) => tasks.decode(row))
}

/**
 * Corrects times that a node with a wrong clock has written: a pending task that was enqueued in the future, periodic work that would
 * wait longer than `longestMs`, and a lease with an impossible end.
 */
export const bringForward = async (
  tx: Tx,
  { kind, now, isPeriodic, longestMs }: { kind: string; now: Date; isPeriodic: boolean; longestMs: number },
): Promise<void> => {
  const soon = new Date(now.getTime() + longestMs)
  const ofKind = (status: TaskStatus) => tx.knex(tasks.name).where({ kind, status }).where('due_at', '>', now)
  await ofKind('pending')
    .where(isPeriodic ? 'due_at' : 'created_at', '>', soon)
    .update({ due_at: now })
  // A lease cannot end later than this, so an impossible end is replaced by it.
  await ofKind('running').where('due_at', '>', soon).update({ due_at: soon })
}

type Held = Pick<TaskRow, 'id' | 'leaseToken'>

/** Changes a task that a worker has leased. False if the lease has ended and another node has started the task. */
export const updateHeld = (
  tx: Tx,
  { id, leaseToken }: Held,
  patch: Partial<Omit<TaskRow, 'id' | 'kind' | 'key' | 'createdAt'>>,
): Promise<boolean> => tasks.updateOne(tx, { id, leaseToken, status: 'running' as const }, patch)

/** Deletes a running task, because its result is not needed. False if the lease has ended and another node has started the task. */
export const deleteHeld = async (tx: Tx, { id, leaseToken }: Held): Promise<boolean> =>
  (await tasks.delete(tx, { id, leaseToken, status: 'running' as const })) === 1

/** Postpones the later tasks with the same key. They cannot start before `dueAt`, so until then it is not necessary to look for them. */
export const postponeFollowers = async (tx: Tx, { kind, key }: TaskRow, dueAt: Date): Promise<void> => {
  await tx.knex(tasks.name).where({ kind, key, status: 'pending' }).where('due_at', '<', dueAt).update({ due_at: dueAt })
}

export interface TaskFilter {
  readonly ids?: readonly string[]
  readonly kind?: string | undefined
  readonly status?: readonly TaskStatus[] | undefined
}

/** Lists tasks, newest first. */
export const listTasks = async (db: Db, { ids, kind, status }: TaskFilter, limit: number): Promise<readonly TaskRow[]> => {
  const query = db.knex(tasks.name).select(tasks.names).orderBy('sequence', 'desc').limit(limit)
  if (ids !== undefined) query.whereIn('id', [...ids])
  if (kind !== undefined) query.where({ kind })
  if (status !== undefined) query.whereIn('status', [...status])
  return ((await query) as Record<string, unknown>[]).map((row) => tasks.decode(row))
}

const active = "status in ('pending', 'running')"
/** Reads one index entry for each kind. So the time does not depend on the number of tasks that wait. */
const oldestDueSql = `with recursive kinds (kind) as (
  select min(kind) from task where ${active}
  union all
  select (select min(t.kind) from task t where t.${active} and t.kind > kinds.kind) from kinds where kinds.kind is not null
)
select kind, (select min(t.due_at) from task t where t.${active} and t.kind = kinds.kind) as due_at from kinds where kind is not null`

/** For each kind that has tasks, the earliest time when one of them can start. A running task counts with the end of its lease. */
export const listOldestDue = async (db: Db): Promise<readonly { readonly kind: string; readonly dueAt: Date }[]> =>
  (await readPrepared(db, { name: 'task.oldest-due', sql: oldestDueSql }, [])).map((row) => ({
    kind: String(row['kind']),
    dueAt: time.decode(row['due_at']),
  }))

const countDeadSql = "select kind, count(*) as amount from task where status = 'dead' group by kind"
/** For each kind, the number of dead tasks. */
export const countDead = async (db: Db): Promise<readonly { readonly kind: string; readonly amount: number }[]> =>
  (await readPrepared(db, { name: 'task.count-dead', sql: countDeadSql }, [])).map(({ kind, amount }) => ({
    kind: String(kind),
    amount: Number(amount),
  }))

const listed = tasks.omit('payload', 'leaseToken')
/** A task as operators see it. The payload is not included. */
export type ListedTask = Row<typeof listed.columns>

export interface TaskConditions {
  readonly kind?: string | undefined
  readonly status?: readonly TaskStatus[] | undefined
  /** Matches tasks whose label has this text as its first word. */
  readonly word?: string | undefined
  /** Matches tasks whose label has this text after the first word. Used only together with `kind`. */
  readonly about?: string | undefined
  readonly createdSince?: Date | undefined
  readonly createdUntil?: Date | undefined
}

/** A page of the tasks that meet the conditions, in the order of creation. */
export const pageOfTasks = async (
  db: Db,
  { kind, status, word, about, createdSince, createdUntil }: TaskConditions,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<ListedTask>> => {
  const position = isPostgres(db) ? 'strpos' : 'instr'
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    ...{ from: 'task', select: listed.names, columns: ['created_at', 'id'], order, limit, after: timeAfter(after) },
    where: (query) => {
      if (kind !== undefined) query.where('x.kind', kind)
      if (about !== undefined)
        query.whereRaw(`x.label is not null and substr(x.label, ${position}(x.label, ' ') + 1) = ?`, [about])
      // The statement repeats the condition of the partial index, so that the database can use the index.
      if (status?.join() === 'dead') query.whereRaw("x.status = 'dead'")
      if (createdSince !== undefined) query.where('x.created_at', '>=', createdSince)
      if (createdUntil !== undefined) query.where('x.created_at', '<', createdUntil)
    },
    rest: (query) => {
      query.select('c.*')
      if (status !== undefined) query.whereIn('c.status', [...status])
      if (word !== undefined) query.whereRaw(`substr(c.label, 1, ${position}(c.label || ' ', ' ') - 1) = ?`, [word])
    },
  })
  const placeOf = (row: ListedTask) => ({ value: row.createdAt.getTime(), id: row.id })
  return {
    found: rows.map((raw) => listed.decode(raw)).map((row) => ({ row, position: placeOf(row) })),
    lookedTo: lookedTo && placeOf(listed.decode(lookedTo)),
    total,
  }
}

export const findListed = (db: Db, id: string) => listed.find(db, { id })

/** Makes a dead task pending again, with no attempts. False if the task is not dead. */
export const requeueDead = (tx: Tx, id: string, kind: string, dueAt: Date): Promise<boolean> =>
  tasks.updateOne(tx, { id, kind, status: 'dead' as const }, { status: 'pending', attempts: 0, dueAt, expiresAt: null })

/** Details of the tasks with this kind and label that were enqueued after `since`. */
export const listDetails = async (db: Db, kind: string, label: string, since: Date): Promise<readonly TaskRow['details'][]> => {
  const query = db.knex(tasks.name).where({ kind, label }).where('created_at', '>', since)
  return (await query.pluck('details')).map((text) => columns.details.decode(text))
}

export const findTask = (db: Db, id: string) => tasks.find(db, { id })

export const deleteDead = async (tx: Tx, id: string): Promise<boolean> =>
  (await tasks.delete(tx, { id, status: 'dead' as const })) === 1

/** Tasks that are done or dead and have been stored long enough. */
export const expiredTasks = (now: Date): Outdated => ({
  table: tasks.name,
  key: ['id'],
  choose: (rows) => rows.where('expires_at', '<=', now),
})

/** Makes all running tasks pending. Used after a restore, because the nodes that ran them belong to another instance. */
export const releaseTasks = async (tx: Tx): Promise<void> => {
  await tx.knex(tasks.name).where({ status: 'running' }).update({ status: 'pending', lease_token: null })
}

/**
 * Makes all waiting tasks dead, except periodic work (where the id of the row is its kind). For each kind, returns the number of tasks
 * that it has changed.
 */
export const holdTasks = async (tx: Tx, lastError: string, expiresAt: Date): Promise<Readonly<Record<string, number>>> => {
  const rows: { kind: string }[] = await tx
    .knex(tasks.name)
    .where({ status: 'pending' })
    .whereRaw('id <> kind')
    .update({ status: 'dead', last_error: lastError, expires_at: expiresAt })
    .returning('kind')
  const held: Record<string, number> = {}
  for (const { kind } of rows) held[kind] = (held[kind] ?? 0) + 1
  return held
}
