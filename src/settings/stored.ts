import { type Secrets, WrongSecretError } from '../core/crypto.ts'
import type { Database, Db } from '../core/db/database.ts'
import { isOfLaterSchema } from '../core/db/migrate.ts'
import type { StoredSetting } from '../core/settings.ts'
import * as store from './store.ts'

/** The settings in the database. */
export interface StoredSettings {
  /** The version of the settings. It is 0 before the first change. */
  readonly version: number
  readonly settings: readonly StoredSetting[]
}

/** The value that a change has stored. Undefined if the change removed the value. */
export const valueIn = (secrets: Pick<Secrets, 'open'>, { id, value, sealedValue }: store.ChangeRow): unknown => {
  const text = sealedValue === null ? value : secrets.open(sealedValue, store.sealContext(id))
  return text === null ? undefined : JSON.parse(text)
}

/** The values of all rows. Throws one `WrongSecretError` that names all settings which no master secret can open. */
const valuesOf = (secrets: Pick<Secrets, 'open'>, rows: readonly store.CurrentRow[]): ReadonlyMap<string, unknown> => {
  const values = new Map<string, unknown>()
  const sealed: string[] = []
  for (const row of rows)
    try {
      values.set(row.key, valueIn(secrets, row))
    } catch (error) {
      if (!(error instanceof WrongSecretError)) throw error
      sealed.push(row.key)
    }
  if (sealed.length > 0)
    throw new WrongSecretError(`${sealed.length === 1 ? 'the setting' : 'the settings'} ${sealed.join(', ')} of the database`)
  return values
}

/** Reads the settings in the database, with a single query. */
export const readSettings = async (db: Db, secrets: Pick<Secrets, 'open'>): Promise<StoredSettings> => {
  const rows = await store.listCurrent(db)
  const values = valuesOf(secrets, rows)
  const settings = rows.flatMap((row) => {
    const value = values.get(row.key)
    const { key, version, changedAt, actorKind: kind, actorId: id } = row
    return value === undefined ? [] : [{ key, value, version, changedAt, changedBy: { kind, id } }]
  })
  return { version: Math.max(0, ...rows.map(({ version }) => version)), settings }
}

interface Source {
  readonly database: Pick<Database, 'db'>
  readonly secrets: Pick<Secrets, 'open'>
}

/** Reads the settings in the database. A database with an older schema may have no table for them, and then has none. */
export const readStored = async ({ database: { db }, secrets }: Source): Promise<StoredSettings> => {
  try {
    return await readSettings(db, secrets)
  } catch (error) {
    if (isOfLaterSchema(error)) return { version: 0, settings: [] }
    throw error
  }
}

export const storedVersion = ({ database: { db } }: Source): Promise<number> => store.findNewestVersion(db)
