import type { PersonalData } from '../personal-data.ts'

/** The functions of a table object (`table` in `table.ts`) that this module needs. */
interface Source<R> {
  readonly name: string
  readonly names: readonly string[]
  decode(raw: Readonly<Record<string, unknown>>): R
}

interface Part<R> {
  readonly name: string
  /** The columns that the user's download contains. They must not include a secret or the hash of a secret. */
  readonly fields: readonly (keyof R & string)[]
  /** The column that says to which user a row belongs. */
  readonly owner?: string
  /** What the column `owner` contains: the id or the email address of the user. */
  readonly by?: 'id' | 'email'
  /** The column with unique values by which pages are read. */
  readonly key?: string
  readonly isShown?: (row: R) => boolean
}

const pageSize = 500

/** The part of a user's data that consists of the rows of one table. */
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
