import { type Sealed, sha256 } from '../crypto.ts'
import { type Parser, parseStored } from '../stored-json.ts'
import {
  anyOf,
  changePrepared,
  type Db,
  isPostgres,
  type PreparedRead,
  preparedSelect,
  type RawRow,
  readPrepared,
  type SelectedColumn,
  selectList,
  type Tx,
} from './database.ts'

/**
 * Converts the values of a column. `encode` makes the value for the driver, and `decode` reads the driver's value. A codec hides that the
 * two databases store a type differently.
 */
export interface Codec<T> {
  encode(value: T): unknown
  decode(raw: unknown): T
  /** True for bytes. A packed row does not contain them, because JSON cannot. */
  readonly isBinary?: boolean
  /** True for texts that may be long and contain many quotes. On SQLite such a text stands beside the packed row (see `preparedSelect`). */
  readonly isDocument?: boolean
  /** Set for values that are sealed with the master secret. */
  readonly seal?: SealBinding
}

interface SealBinding {
  /** The context with which a value is sealed. It is made from the key of the value's row. */
  readonly contextOf: (key: string) => string
  /** The name of the column with that key. */
  readonly key: string
  /** A column with unique values. Usually it is the column `key`; it differs if several rows have the same key. */
  readonly id: string
}

/** A sealed column. When the master secret is rotated, its values are sealed again. */
export interface SealedColumn extends SealBinding {
  readonly table: string
  readonly column: string
}

const same = <T>(): Codec<T> => ({ encode: (value) => value, decode: (raw) => raw as T })

export const text: Codec<string> = same()
export const int: Codec<number> = { encode: (value) => value, decode: Number }
export const bytes: Codec<Buffer> = { ...same(), isBinary: true }
/** SQLite stores a boolean as 0 or 1. */
export const bool: Codec<boolean> = { encode: (value) => value, decode: Boolean }
/** On PostgreSQL a timestamptz, on SQLite the milliseconds since 1970. Both drivers accept a `Date`. */
export const time: Codec<Date> = {
  encode: (value) => value,
  decode: (raw) => (raw instanceof Date ? raw : new Date(Number(raw))),
}
/**
 * A value that is sealed with the master secret. `contextOf` makes the context from the key of the row, so that a value cannot be moved
 * to another row.
 */
export const sealed = (contextOf: (key: string) => string, key = 'id'): Codec<Sealed> => ({
  ...same(),
  seal: { contextOf, key, id: key },
})
/** A sealed value or a hash. `id` names a column with unique values. */
export const sealedOrHash = (contextOf: (key: string) => string, key = 'id', id = key): Codec<string> => ({
  ...same(),
  seal: { contextOf, key, id },
})
/** JSON, stored as text. Reading a value of another form throws. The parser is made when the first row is read. */
export const json = <T>(parserOf: () => Parser<T>): Codec<T> => {
  let parser: Parser<T> | undefined
  return {
    encode: (value) => JSON.stringify(value),
    decode: (raw) => {
      parser ??= parserOf()
      return parseStored(parser, raw as string)
    },
  }
}
/** JSON that may be long, stored as text. */
export const document = <T>(parserOf: () => Parser<T>): Codec<T> => ({ ...json(parserOf), isDocument: true })
/** One of the given words. Reading any other word throws. */
export const oneOf = <const T extends string>(...words: readonly T[]): Codec<T> => ({
  encode: (value) => value,
  decode: (raw) => {
    const word = words.find((candidate) => candidate === raw)
    if (word === undefined) throw new Error(`a column holds ${JSON.stringify(raw)} where ${words.join(', ')} are expected`)
    return word
  },
})
export const nullable = <T>(inner: Codec<T>): Codec<T | null> => ({
  ...inner,
  encode: (value) => (value === null ? null : inner.encode(value)),
  decode: (raw) => (raw === null || raw === undefined ? null : inner.decode(raw)),
})

type Value<C> = C extends Codec<infer T> ? T : never
export type Row<C> = { readonly [K in keyof C]: Value<C[K]> }
type Where<C> = { readonly [K in keyof C]?: Value<C[K]> }
/**
 * The type `W`, with the restriction that its keys are columns. The restriction also holds for a spread object, whose keys the compiler
 * would not check otherwise.
 */
type Columns<C, W> = { readonly [K in keyof W]: K extends keyof C ? Value<C[K]> : never }

type ColumnSet = Record<string, Codec<unknown>>
type Optional<C> = { [K in keyof C]: Codec<Value<C[K]> | null> }

export interface ListOptions<C> {
  readonly orderBy?: keyof C & string
  readonly descending?: boolean
  readonly limit?: number
  readonly offset?: number
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The parts from which all statements about these columns of a table are built. */
const partsOf = <C extends ColumnSet>(name: string, columns: C) => {
  const fields = Object.entries(columns).map(([key, codec]) => ({ key, column: snake(key), codec }))
  const byKey = new Map(fields.map((field) => [field.key, field]))
  /** A column with the name of its table. Without the table, SQLite would take an unknown name in double quotes for a text. */
  const qualified = (column: string) => `"${name}"."${column}"`
  /** The encoded values, by the names of their columns. Throws for a key that is not a column, and for an undefined value. */
  const encode = (values: Where<C>): Record<string, unknown> => {
    const out: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(values)) {
      const field = byKey.get(key)
      if (field === undefined) throw new Error(`the table ${name} has no column for ${key}`)
      if (value === undefined) throw new Error(`${key} of the table ${name} is undefined`)
      out[field.column] = field.codec.encode(value)
    }
    return out
  }
  const statements = new Map<string, PreparedRead>()
  return {
    fields,
    names: fields.map((field) => field.column),
    qualified,
    encode,
    /** A prepared statement whose name is derived from its text, so that different texts never have the same name. */
    prepared: (sql: string): PreparedRead => {
      const known = statements.get(sql)
      if (known !== undefined) return known
      const made = { name: `${name.slice(0, 30)}_${sha256(sql).slice(0, 16)}`, sql }
      statements.set(sql, made)
      return made
    },
    /** An SQL condition that the columns have these values, with its parameters. Null is written as `is null`, without a parameter. */
    conditionOf: (where: Where<C>) => {
      const columnsAndValues = Object.entries(encode(where))
      return {
        sql: columnsAndValues
          .map(([column, value]) => `${qualified(column)} ${value === null ? 'is null' : '= ?'}`)
          .join(' and '),
        values: columnsAndValues.flatMap(([, value]) => (value === null ? [] : [value])),
      }
    },
  }
}

/** Some columns of a table, with their codecs. Used in joins, and by features that do not own the table. */
export interface View<C extends ColumnSet> {
  /** Name of the table. */
  readonly name: string
  readonly columns: C
  /** The names of the columns in the database. */
  readonly names: readonly string[]
  /** Turns a row into a domain object. If the row comes from a join, the names of its columns may have a prefix. */
  decode(raw: RawRow, prefix?: string): Row<C>
  /** A view of only the given columns. */
  pick<const K extends keyof C & string>(...keys: readonly K[]): View<Pick<C, K>>
  /** A view of all columns except the given ones. */
  omit<const K extends keyof C & string>(...keys: readonly K[]): View<Omit<C, K>>
  /** A view of the same columns for a left join. If the join finds no row, all its columns are null. */
  optional(): View<Optional<C>>
  /** The columns for the select list of a join that is written in SQL: `alias.column as "prefixcolumn"`. */
  columnsOf(alias: string, prefix: string): readonly SelectedColumn[]
  /** The columns for the select list of a join that knex builds. */
  namesOf(alias: string, prefix?: string): readonly string[]
  find<const W>(db: Db, where: W & Columns<C, W>): Promise<Row<C> | undefined>
  list<const W>(db: Db, where: W & Columns<C, W>, options?: ListOptions<C>): Promise<Row<C>[]>
  /** The rows in which the column `key` has one of these values. The values are given as text. */
  findAll(db: Db, key: keyof C & string, values: readonly string[]): Promise<Row<C>[]>
}

const without = <C extends ColumnSet, K extends keyof C & string>(columns: C, keys: readonly K[]): Omit<C, K> =>
  Object.fromEntries(Object.entries(columns).filter(([key]) => !keys.some((left) => left === key))) as ColumnSet as Omit<C, K>

const viewOf = <C extends ColumnSet>(name: string, columns: C, parts: ReturnType<typeof partsOf<C>>): View<C> => {
  const { fields, names, qualified, encode, prepared, conditionOf } = parts
  const isBinary = fields.some(({ codec }) => codec.isBinary === true)
  const decode = (raw: RawRow, prefix = ''): Row<C> => {
    const out: Record<string, unknown> = {}
    for (const { key, column, codec } of fields) out[key] = codec.decode(raw[prefix + column])
    return out as Row<C>
  }
  const selected = (sqlOf: (column: string) => string, prefix: string): readonly SelectedColumn[] =>
    fields.map(({ column, codec: { isDocument = false } }) => ({ sql: sqlOf(column), name: prefix + column, isDocument }))
  const ownColumns = selected(qualified, '')
  const reads = new Map<string, PreparedRead>()
  /**
   * A statement that selects all columns. `rest` is the SQL after the name of the table. Each statement is stored, because making its
   * long text takes time.
   */
  const select = (rest: string): PreparedRead => {
    const known = reads.get(rest)
    if (known !== undefined) return known
    const plain = prepared(`select ${selectList(ownColumns)} from "${name}"${rest}`)
    const read = isBinary ? plain : preparedSelect(plain.name, ownColumns, `from "${name}"${rest}`)
    reads.set(rest, read)
    return read
  }
  return {
    ...{ name, columns, names, decode },
    pick: (...keys) => view(name, Object.fromEntries(keys.map((key) => [key, columns[key]])) as Pick<C, (typeof keys)[number]>),
    omit: (...keys) => view(name, without(columns, keys)),
    optional: () =>
      view(name, Object.fromEntries(fields.map(({ key, codec }) => [key, nullable(codec)])) as ColumnSet as Optional<C>),
    columnsOf: (alias, prefix) => selected((column) => `${alias}.${column}`, prefix),
    namesOf: (alias, prefix = '') => names.map((column) => `${alias}.${column}${prefix === '' ? '' : ` as ${prefix}${column}`}`),
    find: async (db, where) => {
      const { sql, values } = conditionOf(where)
      const [raw] = await readPrepared(db, select(`${sql === '' ? '' : ` where ${sql}`} limit 1`), values)
      return raw === undefined ? undefined : decode(raw)
    },
    list: async (db, where, { orderBy, descending, limit, offset } = {}) => {
      const condition = encode(where)
      const query = db.knex(name).where(condition).select(names)
      if (orderBy !== undefined) query.orderBy(snake(orderBy), descending === true ? 'desc' : 'asc')
      if (limit !== undefined) query.limit(limit)
      if (offset !== undefined) query.offset(offset)
      return ((await query) as RawRow[]).map((raw) => decode(raw))
    },
    findAll: async (db, key, values) => {
      const list = anyOf(db, values)
      const rows = await readPrepared(db, select(` where ${qualified(snake(key))} ${list.sql}`), list.values)
      return rows.map((raw) => decode(raw))
    },
  }
}

/**
 * Declares those columns of a table that other features read. Their names are in snake case in the database, and in camel case in the
 * domain. The feature that owns the table declares each column once, with `view` or `table`.
 */
export const view = <C extends ColumnSet>(name: string, columns: C): View<C> => viewOf(name, columns, partsOf(name, columns))

/** Names by id, from a table that has the columns `id` and `name`. */
export const listNamesOf = <C extends { readonly id: Codec<string>; readonly name: Codec<string> }>({
  pick,
}: Pick<View<C>, 'pick'>) => {
  const named = pick('id', 'name')
  return (db: Db, ids: readonly string[]) => named.findAll(db, 'id', ids)
}

/**
 * All statements about a table, including changes. Only the feature that owns the table uses them. Takes the columns, or a view that
 * already declares them.
 */
export const table = <C extends ColumnSet>(...declared: readonly [name: string, columns: C] | readonly [view: View<C>]) => {
  const [name, columns] = declared.length === 1 ? [declared[0].name, declared[0].columns] : declared
  const parts = partsOf(name, columns)
  const { fields, names, qualified, encode, prepared, conditionOf } = parts
  const sealedColumns: readonly SealedColumn[] = fields.flatMap(({ column, codec }) =>
    codec.seal === undefined ? [] : [{ table: name, column, ...codec.seal }],
  )
  /** The condition of an update or delete. Throws for an empty condition, because it would match all rows. */
  const someRows = (where: Where<C>) => {
    if (Object.keys(where).length === 0) throw new Error(`a change of the table ${name} needs a condition`)
    return conditionOf(where)
  }
  const change = async (tx: Tx, where: Where<C>, patch: Where<C>): Promise<number> => {
    const set = Object.entries(encode(patch))
    const { sql, values } = someRows(where)
    const columnsToSet = set.map(([column]) => `"${column}" = ?`).join(', ')
    const text = `update "${name}" set ${columnsToSet} where ${sql}`
    return changePrepared(tx, prepared(text), [...set.map(([, value]) => value), ...values])
  }
  const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ')
  /** Inserts any number of rows with one statement. Its only parameter is one JSON text with all rows. */
  const insertOfMany = (tx: Tx, rest = '') => {
    const source = isPostgres(tx)
      ? `select ${quoted(names)} from json_populate_recordset(null::"${name}", ?::json)`
      : // Without a condition SQLite reads what follows as one of a join.
        `select ${names.map((column) => `value ->> '$.${column}'`).join(', ')} from json_each(?) where true`
    return prepared(`insert into "${name}" (${quoted(names)}) ${source}${rest}`)
  }
  const asJson = (tx: Tx, rows: readonly Row<C>[]): string => {
    const onPostgres = isPostgres(tx)
    const jsonOf = (value: unknown) => {
      if (Buffer.isBuffer(value)) throw new Error(`the table ${name} has bytes, which are no JSON`)
      return value instanceof Date && !onPostgres ? value.getTime() : value
    }
    return JSON.stringify(
      rows.map((row) => Object.fromEntries(Object.entries(encode(row)).map(([column, value]) => [column, jsonOf(value)]))),
    )
  }

  return {
    ...viewOf(name, columns, parts),
    /** The sealed columns of the table. The feature that owns the table passes them to `composition.ts`. */
    sealedColumns,
    encode,
    /** Turns rows into one JSON text that has the columns as its fields. As a single parameter, it can insert any number of rows. */
    asJson,
    /** The encoded values of a row, in the order of `names`. */
    values: (row: Row<C>): readonly unknown[] => fields.map(({ key, codec }) => codec.encode(row[key])),
    /** Deletes the rows in which the column `key` has one of these values, which are given as text. Returns the number of deleted rows. */
    deleteAll: async (tx: Tx, key: keyof C & string, values: readonly string[]): Promise<number> => {
      const list = anyOf(tx, values)
      return changePrepared(tx, prepared(`delete from "${name}" where ${qualified(snake(key))} ${list.sql}`), list.values)
    },
    /** Inserts rows. `onConflict` is the SQL for a row that already exists. */
    insertAll: async (tx: Tx, rows: readonly Row<C>[], onConflict = ''): Promise<void> => {
      await changePrepared(tx, insertOfMany(tx, onConflict), [asJson(tx, rows)])
    },
    /** Inserts rows. If a row with the same key already exists, changes its other columns instead. */
    upsertAll: async (
      tx: Tx,
      rows: readonly Row<C>[],
      key: readonly (keyof C & string)[],
      changing: readonly (keyof C & string)[] = Object.keys(columns).filter((column) => !key.includes(column)),
    ): Promise<void> => {
      const set = changing.map(snake).map((column) => `"${column}" = excluded."${column}"`)
      const rest = ` on conflict (${quoted(key.map(snake))}) do update set ${set.join(', ')}`
      await changePrepared(tx, insertOfMany(tx, rest), [asJson(tx, rows)])
    },
    insert: async (tx: Tx, row: Row<C>): Promise<void> => {
      const encoded = encode(row)
      const given = Object.keys(encoded)
      const text = `insert into "${name}" (${quoted(given)}) values (${given.map(() => '?').join(', ')})`
      await changePrepared(tx, prepared(text), Object.values(encoded))
    },
    /** Updates rows and returns the number of changed rows. Throws for an empty condition. */
    update: async <const W, const P>(tx: Tx, where: W & Columns<C, W>, patch: P & Columns<C, P>): Promise<number> =>
      change(tx, where, patch),
    /**
     * Updates one row. False if no row matches the condition, for example because another transaction was faster. Throws for an empty
     * condition.
     */
    updateOne: async <const W, const P>(tx: Tx, where: W & Columns<C, W>, patch: P & Columns<C, P>): Promise<boolean> =>
      (await change(tx, where, patch)) === 1,
    /** Deletes rows and returns the number of deleted rows. Throws for an empty condition. */
    delete: async <const W>(tx: Tx, where: W & Columns<C, W>): Promise<number> => {
      const { sql, values } = someRows(where)
      return changePrepared(tx, prepared(`delete from "${name}" where ${sql}`), values)
    },
  }
}
