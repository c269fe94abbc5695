/** A frequent read, written out with `?` for values and a unique `name`. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
  /** True where the best plan depends on the values, as for a list: PostgreSQL plans the statement at each execution. */
  readonly hasPlanCacheDisabled?: boolean
  /** True for a statement whose result is the number of changed rows. */
  readonly isChange?: boolean
  /** The form of the statement on SQLite: each row is a JSON array of the values of `names`, with the columns `documents` beside it. */
  readonly packed?: { readonly sql: string; readonly names: readonly string[]; readonly documents: readonly string[] }
}

/** A selected column, and its name in a row. */
export interface SelectedColumn {
  /** With the name of its table, or an alias: SQLite takes an unknown name alone in double quotes for a text. */
  readonly sql: string
  readonly name: string
  /** True for a text that may be long with many quotes, such as stored JSON. */
  readonly isDocument?: boolean
}

/** The list of a `select`. */
export const selectList = (columns: readonly SelectedColumn[]): string =>
  columns.map(({ sql, name }) => `${sql} as "${name}"`).join(', ')

/** Reads of some columns by name, kept because their texts are long. The databases may have different reads with the same name. */
type Selects = Map<string, { readonly rest: string; readonly read: PreparedRead }>
/** Weak: dropped with its columns. */
const selectsOf = new WeakMap<readonly SelectedColumn[], Selects>()

/**
 * A prepared read of these columns; `rest` begins with `from`. SQLite's driver takes half a microsecond for each value it hands over, so there a row
 * comes packed, as one JSON text. Three kinds of values are not packed:
 *
 * - Binary values are no JSON. A read that has one is written without this function.
 * - Real numbers: SQLite writes them into JSON with 15 digits, where a number has 17. No column holds one.
 * - Documents (`isDocument`): every quote and backslash in them is escaped by SQLite and unescaped here, which takes up to eight times as long
 *   as handing the text over. They come as columns of their own beside the packed rest of the row.
 *
 * JSON that SQLite itself makes (`json_object`) would be packed as an object, not as a text: such a read is written without this function, too. A
 * name has the same columns each time; the texts are made once for columns that are kept.
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
  /** Number of rows of a change. */
  readonly changed: number
}

/** Longest wait for a connection. */
export const acquireTimeoutMs = 5_000

/** knex would print to standard output; its warnings reach the caller as errors too. */
export const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }
