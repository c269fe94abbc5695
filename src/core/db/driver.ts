/** A prepared read: its text with `?` for values, and a unique `name`. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
  /** True if the best plan depends on the values, for example on the length of a list. PostgreSQL then plans the statement each time. */
  readonly hasPlanCacheDisabled?: boolean
  /** True for a statement whose result is the number of changed rows. */
  readonly isChange?: boolean
  /** The form of the statement for SQLite: each row has one JSON array with the values of `names`, and the columns `documents`. */
  readonly packed?: { readonly sql: string; readonly names: readonly string[]; readonly documents: readonly string[] }
}

/** A selected column, and its name in a row. */
export interface SelectedColumn {
  /** The column with the name or alias of its table. SQLite takes an unknown name in double quotes for a text if it stands alone. */
  readonly sql: string
  readonly name: string
  /** True for a text that may be long and contain many quotes, such as stored JSON. */
  readonly isDocument?: boolean
}

/** The columns of a `select`. */
export const selectList = (columns: readonly SelectedColumn[]): string =>
  columns.map(({ sql, name }) => `${sql} as "${name}"`).join(', ')

/** Reads by name, kept because making their long texts takes time. The two databases may have different reads of the same name. */
type Selects = Map<string, { readonly rest: string; readonly read: PreparedRead }>
/** A weak map: the reads are dropped together with their columns. */
const selectsOf = new WeakMap<readonly SelectedColumn[], Selects>()

/**
 * A prepared read of these columns. `rest` begins with `from`. SQLite's driver takes half a microsecond for each value, so there a row
 * arrives packed, as one JSON text. Three kinds of values are not packed:
 * - Binary values, because JSON cannot contain them. A read of such a value is written without this function.
 * - Real numbers, because SQLite writes only 15 of their 17 digits into JSON. No column has any.
 * - Documents (`isDocument`), because SQLite would escape every quote and backslash in them, which takes up to eight times as long as
 * passing the text. They are columns of their own beside the packed part of the row.
 * A read of JSON that SQLite itself makes (`json_object`) is written without this function, too, because it would arrive as an object and
 * not as a text. A name always has the same columns. The texts are made once for columns that are kept.
 */
export const preparedSelect = (name: string, columns: readonly SelectedColumn[], rest: string): PreparedRead => {
  const selects: Selects = selectsOf.get(columns) ?? new Map()
  selectsOf.set(columns, selects)
  const known = selects.get(name)
  if (known?.rest === rest) return known.read
  const packable = columns.filter(({ isDocument }) => isDocument !== true)
  const documents = columns.filter(({ isDocument }) => isDocument === true)
  const array = { sql: `json_array(${packable.map(({ sql }) => sql).join(', ')})`, name: 'packed' }
  const packed = {
    sql: `select ${selectList([array, ...documents])} ${rest}`,
    names: packable.map((column) => column.name),
    documents: documents.map((column) => column.name),
  }
  const read = { name, sql: `select ${selectList(columns)} ${rest}`, packed }
  selects.set(name, { rest, read })
  return read
}

export type RawRow = Readonly<Record<string, unknown>>

/** The answer to a statement. */
export interface Answered {
  readonly rows: RawRow[]
  /** Number of rows that the statement changed. */
  readonly changed: number
}

/** Longest wait for a connection. */
export const acquireTimeoutMs = 5_000

/** knex would print its warnings to standard output. They also reach the caller as errors. */
export const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }
