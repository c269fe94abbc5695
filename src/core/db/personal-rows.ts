import type { PersonalData } from '../personal-data.ts'

/** The functions of a table (`table`) that this module needs. */
interface Source<R> {
  readonly name: string
  readonly names: readonly string[]
  decode(raw: Readonly<Record<string, unknown>>): R
}

interface Part<R> {
  readonly name: string
  /** Columns in the download. A secret, or the hash of a secret, is never among them. */
  readonly fields: readonly (keyof R & string)[]
  /** The column that names the owner. */
  readonly owner?: string
  /** What that column contains. */
  readonly by?: 'id' | 'email'
  /** A column with unique values. */
  readonly key?: string
  readonly isShown?: (row: R) => boolean
}

const pageSize = 500

/** The rows of one table that are about a user, as a part of the user's data. */
export const personalRows = <R extends object>(
  source: Source<R>,
  { name, fields, owner = 'user_id', by = 'id', key = 'id', isShown = () => true }: Part<R>,
): PersonalData => ({
  name,
  tables: [source.name],
  read: async function* (db, { id, verifiedEmail }) {
    const value = by === 'id' ? id : verifiedEmail
    if (value === undefined) return
    let last: string | undefined
    do {
      const query = db.knex(source.name).select(source.names).where(owner, value).orderBy(key).limit(pageSize)
      if (last !== undefined) query.where(key, '>', last)
      const page: Record<string, unknown>[] = await query
      for (const row of page.map((raw) => source.decode(raw)))
        if (isShown(row)) yield Object.fromEntries(fields.map((field) => [field, row[field]]))
      last = page.length < pageSize ? undefined : String(page.at(-1)?.[key])
    } while (last !== undefined)
  },
})
