import { type Db, readPrepared } from '../core/db/database.ts'

interface Amount {
  readonly kind: string
  readonly amount: number
  /** When the oldest waiting task could have started at the earliest. */
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

/** How many tasks are waiting or running, by kind. */
export const countWaiting = async (db: Db): Promise<Amount[]> =>
  (await readPrepared(db, waiting, [])).map(({ kind, amount, oldest }) => ({
    kind: String(kind),
    amount: Number(amount),
    oldest: new Date(oldest as string | number | Date),
  }))
/** How many audit events are not sealed into the chain yet. */
export const countUnsealed = async (db: Db): Promise<number> => Number((await readPrepared(db, unsealed, []))[0]?.['amount'])
/** The event readers, each with the number of events that it has not read yet. */
export const listReaders = async (db: Db): Promise<{ readonly name: string; readonly behind: number }[]> =>
  (await readPrepared(db, readers, [])).map(({ name, behind }) => ({ name: String(name), behind: Number(behind) }))
