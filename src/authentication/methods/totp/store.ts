import type { Db, Tx } from '../../../core/db/database.ts'
import { personalRows } from '../../../core/db/personal-rows.ts'
import type { Outdated } from '../../../core/db/sweep.ts'
import { int, nullable, type Row, sealed, table, text, time } from '../../../core/db/table.ts'

/** The context to which the encryption binds a sealed secret: column and row. */
export const contextOf = (id: string) => `totp/secret/${id}`

const columns = {
  id: text,
  userId: text,
  secret: sealed(contextOf),
  issuer: text,
  /** The time at which the app accepted its first code; null if it has accepted none yet. */
  confirmedAt: nullable(time),
  /** The time step of the last code that was used; null if none was used. */
  lastStep: nullable(int),
  createdAt: time,
  /** The session in which the app was added, or was requested as a replacement; null if unknown. */
  sessionId: nullable(text),
}
const apps = table('totp', columns)
export const { sealedColumns } = apps
export type TotpRow = Row<typeof columns>

/** The app of a user that has accepted no code yet. */
export const findUnproven = (db: Db, userId: string) => apps.find(db, { userId, confirmedAt: null })
/** The active app of a user, or else the app that has accepted no code yet. */
export const findTotp = async (db: Db, userId: string): Promise<TotpRow | undefined> => {
  const rows = await apps.list(db, { userId }, { orderBy: 'id' })
  return rows.find(({ confirmedAt }) => confirmedAt !== null) ?? rows[0]
}
export const insertTotp = (tx: Tx, row: TotpRow) => apps.insert(tx, row)

/** Makes an app active with its first code. Returns false if the app was replaced, or if another request has made it active before. */
export const confirm = (tx: Tx, id: string, lastStep: number, confirmedAt: Date) =>
  apps.updateOne(tx, { id, confirmedAt: null }, { lastStep, confirmedAt })

export const setSession = (tx: Tx, id: string, sessionId: string) => apps.update(tx, { id }, { sessionId })

/** Stores the time step of a used code. Returns false if a code of this step or a later step was used before, or if the app was removed. */
export const claimStep = async (tx: Tx, id: string, step: number): Promise<boolean> =>
  (await tx
    .knex(apps.name)
    .where({ id })
    .whereNotNull('confirmed_at')
    .where((unused) => unused.whereNull('last_step').orWhere('last_step', '<', step))
    .update({ last_step: step })) === 1

export const deleteUnproven = (tx: Tx, userId: string) => apps.delete(tx, { userId, confirmedAt: null })
/** Deletes the active app of a user. With `id`, only if it has this id. Returns false if there is no such app. */
export const deleteProven = async (tx: Tx, userId: string, id?: string): Promise<boolean> => {
  const where = { user_id: userId, ...(id === undefined ? {} : { id }) }
  return (await tx.knex(apps.name).where(where).whereNotNull('confirmed_at').delete()) === 1
}
export const deleteTotp = (tx: Tx, userId: string) => apps.delete(tx, { userId })

/** Selects apps from before the given time that never became active. */
export const unprovenBefore = (before: Date): Outdated => ({
  table: apps.name,
  key: ['id'],
  choose: (rows) => rows.whereNull('confirmed_at').where('created_at', '<', before),
})

export const ownApps = personalRows(apps, { name: 'authenticatorApps', fields: ['id', 'issuer', 'confirmedAt', 'createdAt'] })
