import { type Db, isPostgres, type Tx, writeRaw } from '../../core/db/database.ts'
import { quoted, rowsOf, type TableShape } from './schema.ts'

/** How many rows are read at once. Tables with bytes have smaller batches, because a row of them may take a megabyte. */
const batchOf = ({ columns }: Pick<TableShape, 'columns'>): number => (columns.some(({ kind }) => kind === 'bytes') ? 16 : 500)

type RawRow = Readonly<Record<string, unknown>>

/**
 * Yields all rows of a table, sorted by primary key, in batches that are read on demand. Values are as the database driver returns them.
 * Only integers are text, because some drivers lose digits of large integers.
 */
export async function* readRows(
  db: Db,
  table: TableShape,
  size: number = batchOf(table),
): AsyncGenerator<readonly (readonly unknown[])[]> {
  const list = table.columns.map(
    ({ name, kind }, i) => `${kind === 'int' ? `cast(${quoted(name)} as text)` : quoted(name)} as c${i}`,
  )
  const keys = table.key.map(quoted).join(', ')
  const keyPlaces = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  const select = `select ${list.join(', ')} from ${quoted(table.name)}`
  const order = `order by ${keys} limit ${size}`
  const places = keyPlaces.map((place) =>
    table.columns[place]?.kind === 'int' ? `cast(? as ${isPostgres(db) ? 'bigint' : 'integer'})` : '?',
  )
  const behind = `where (${keys}) > (${places.join(', ')})`
  for (let last: RawRow | undefined; ; ) {
    const rows: readonly RawRow[] =
      last === undefined
        ? await rowsOf<RawRow>(db, `${select} ${order}`)
        : await rowsOf<RawRow>(
            db,
            `${select} ${behind} ${order}`,
            keyPlaces.map((place) => last?.[`c${place}`]),
          )
    if (rows.length > 0) yield rows.map((row) => table.columns.map((_, i) => row[`c${i}`]))
    if (rows.length < size) return
    last = rows.at(-1)
  }
}

/** How many values one statement contains at most. SQLite accepts 32,766 and PostgreSQL 65,535. */
const mostValues = 30_000

/** Inserts rows into a table. Each row contains its values in the order of the columns. */
export const insertRows = async (
  tx: Tx,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): Promise<void> => {
  const most = Math.max(1, Math.floor(mostValues / columns.length))
  const into = `insert into ${quoted(table)} (${columns.map(quoted).join(', ')}) values `
  const place = `(${columns.map(() => '?').join(', ')})`
  for (let from = 0; from < rows.length; from += most) {
    const some = rows.slice(from, from + most)
    await writeRaw(tx, into + some.map(() => place).join(', '), some.flat())
  }
}

/** Deletes all rows of a table, and returns how many there were. */
export const deleteAllRows = (tx: Tx, table: string): Promise<number> => tx.knex(table).delete()
