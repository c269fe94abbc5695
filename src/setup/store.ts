import type { Db, Tx } from '../core/db/database.ts'
import { table, text, time } from '../core/db/table.ts'

const dismissals = table('dismissed_setup_step', { name: text, dismissedAt: time })

/** The names of the steps that were dismissed. */
export const listDismissed = async (db: Db): Promise<ReadonlySet<string>> =>
  new Set((await dismissals.list(db, {})).map(({ name }) => name))

/** Records that a step was dismissed. Returns false if it was already dismissed. */
export const insertDismissal = async (tx: Tx, name: string, dismissedAt: Date): Promise<boolean> =>
  (await tx.knex(dismissals.name).insert(dismissals.encode({ name, dismissedAt })).onConflict('name').ignore().returning('name'))
    .length === 1

/** Makes a dismissed step visible again. Returns false if it was not dismissed. */
export const deleteDismissal = async (tx: Tx, name: string): Promise<boolean> => (await dismissals.delete(tx, { name })) === 1
