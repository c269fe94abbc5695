import { createSha256, isSealed, secretIdOf } from '../../core/crypto.ts'
import type { Db } from '../../core/db/database.ts'
import type { SchemaModel } from '../../core/db/schema-model.ts'
import type { SealedColumn } from '../../core/db/table.ts'
import type { Header, TableEnd, TableStart, Total } from '../rules/format.ts'
import { encodeValue, ValueError } from '../rules/values.ts'
import { readRows } from '../store/rows.ts'
import { describeTables, type TableShape } from '../store/schema.ts'

const lineOf = (value: Header | TableStart | TableEnd | { readonly total: Total } | readonly unknown[]): string =>
  `${JSON.stringify(value)}\n`

/** Yields the rows of a table as lines. Also collects the ids of the master secrets with which values in the rows are sealed. */
async function* tableLines(
  db: Db,
  table: TableShape,
  sealedPlaces: readonly number[],
  sealedWith: Set<string>,
): AsyncGenerator<{ readonly text: string; readonly rows: number }> {
  for await (const rows of readRows(db, table)) {
    let text = ''
    for (const row of rows) {
      const values = table.columns.map(({ name, kind }, i) => {
        try {
          return encodeValue(kind, row[i])
        } catch (error) {
          if (!(error instanceof ValueError)) throw error
          throw new Error(`${table.name}.${name} holds ${error.message}`)
        }
      })
      for (const place of sealedPlaces) {
        const value = values[place]
        if (typeof value === 'string' && isSealed(value)) sealedWith.add(secretIdOf(value))
      }
      text += lineOf(values)
    }
    yield { text, rows: rows.length }
  }
}

/**
 * Yields the lines of a backup: the header, then each table (sorted by name) with its rows (sorted by primary key), then the total. Rows
 * are read on demand, so that memory does not grow with the database. `note` is called with the total.
 */
export async function* backupLines(
  db: Db,
  header: Header,
  sealedColumns: readonly SealedColumn[],
  own: Pick<SchemaModel, 'columns'>,
  note: (total: Total) => void = () => undefined,
): AsyncGenerator<string> {
  yield lineOf(header)
  const tables = await describeTables(db, own)
  const sealedWith = new Set<string>()
  let allRows = 0
  for (const table of tables) {
    const { name, columns } = table
    const sealedNames = sealedColumns.flatMap((sealed) => (sealed.table === name ? [sealed.column] : []))
    const sealedPlaces = columns.flatMap((column, i) => (sealedNames.includes(column.name) ? [i] : []))
    yield lineOf({ table: name, columns: [...columns] })
    const hash = createSha256()
    let count = 0
    for await (const { text, rows } of tableLines(db, table, sealedPlaces, sealedWith)) {
      hash.update(text)
      count += rows
      yield text
    }
    yield lineOf({ end: name, rows: count, sha256: hash.digest() })
    allRows += count
  }
  const total = { tables: tables.length, rows: allRows, sealedWith: [...sealedWith].sort() }
  note(total)
  yield lineOf({ total })
}
