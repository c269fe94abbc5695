/** A prepared statement: its text with `?` in the place of values, and a name that no other text has. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
  /** True if the best plan depends on the values, such as the length of a list. Then PostgreSQL plans the statement at each execution. */
  readonly hasPlanCacheDisabled?: boolean
  /** True if the result of the statement is the number of changed rows. */
  readonly isChange?: boolean
  /**
   * How SQLite runs the statement: each row is one JSON array with the values of the columns `names`, and the columns `documents` stand
   * beside the array.
   */
  readonly packed?: { readonly sql: string; readonly names: readonly string[]; readonly documents: readonly string[] }
}

/** A selected column, and its name in a row. */
export interface SelectedColumn {
  /**
   * The column in SQL, with the name or alias of its table. The table is needed because SQLite takes an unknown name in double quotes for
   * a text.
   */
  readonly sql: string
  readonly name: string
  /** True for a column with texts that may be long and contain many quotes, such as stored JSON. */
  readonly isDocument?: boolean
}

/** The list of columns in a `select`. */
export const selectList = (columns: readonly SelectedColumn[]): string =>
  columns.map(({ sql, name }) => `${sql} as "${name}"`).join(', ')

/**
 * The reads of some columns, by name. They are stored because making their long texts takes time. For each name, the two databases may
 * have different texts.
 */
type Selects = Map<string, { readonly rest: string; readonly read: PreparedRead }>
/** In a weak map, so that the reads of columns are dropped when the columns are. */
const selectsOf = new WeakMap<readonly SelectedColumn[], Selects>()

/**
 * A prepared read of these columns. `rest` is the SQL after the columns and begins with `from`. SQLite's driver takes half a microsecond
 * for each value, so on SQLite a row arrives packed, as one JSON text. Three kinds of values are not packed:
 * - Binary values, because JSON cannot contain them. A read of such a value is written without this function.
 * - Real numbers, because SQLite writes only 15 of their 17 digits into JSON. No column has any.
 * - Documents (`isDocument`), because SQLite would escape every quote and backslash in them, which takes up to eight times as long as
 * passing the text. They are columns of their own beside the packed part of the row. A read of JSON that SQLite itself makes
 * (`json_object`) is written without this function, too, because the JSON would arrive as an object and not as a text. Reads with the
 * same name must have the same columns. For a list of columns that is used again, texts are made only once.
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

/** What the database answered to a statement. */
export interface Answered {
  readonly rows: RawRow[]
  /** Number of rows that the statement changed. */
  readonly changed: number
}

/** Longest time that a request waits for a connection. */
export const acquireTimeoutMs = 5_000

/** Keeps knex from printing warnings to standard output. The caller gets an error in each of these cases anyway. */
export const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }
