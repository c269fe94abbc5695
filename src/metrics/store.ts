import { type Db, readPrepared } from '../core/db/database.ts'

interface Amount {
  readonly kind: string
  readonly amount: number
  /** Earliest time when the oldest task can start. */
  readonly oldest: Date
}

const waiting = {
  name: 'metrics.tasks_waiting',
  sql: "select kind, count(*) as amount, min(due_at) as oldest from task where status in ('pending', 'running') group by kind",
}
const unsealed = { name: 'metrics.events_unsealed', sql: 'select count(*) as amount from event where position is null' }
const readers = {
  name: 'metrics.event_readers',
  sql: 'select name, (select coalesce(max(position), 0) from event_chain) - position as behind from event_reader',
}

/** Waiting and running tasks by kind. */
export const countWaiting = async (db: Db): Promise<Amount[]> =>
  (await readPrepared(db, waiting, [])).map(({ kind, amount, oldest }) => ({
    kind: String(kind),
    amount: Number(amount),
    oldest: new Date(oldest as string | number | Date),
  }))
/** Events that are not sealed yet. */
export const countUnsealed = async (db: Db): Promise<number> => Number((await readPrepared(db, unsealed, []))[0]?.['amount'])
/** For each reader, the number of events after its cursor. */
export const listReaders = async (db: Db): Promise<{ readonly name: string; readonly behind: number }[]> =>
  (await readPrepared(db, readers, [])).map(({ name, behind }) => ({ name: String(name), behind: Number(behind) }))
