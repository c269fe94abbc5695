/**
 * Examines how the databases execute the reads of a call, for tests that require a list, filter or search to use an index. Fill the
 * tables first with `fill`, because a database reads a small table as a whole.
 */
import type { TestApp } from './app.ts'
import { dialect } from './database.ts'
import { type Statement, statementsOf } from './statements.ts'

export interface PlanOptions {
  /** Tables that grow without bound. Each must have at least 5,000 rows. */
  readonly tables: readonly string[]
  /** Greatest number of rows of these tables that one statement may read or sort. Only PostgreSQL reports these numbers. */
  readonly maxRows?: number
  /**
   * True if statements may sort a bounded number of rows that they have found, for example the matches of a search. SQLite does not
   * report the number. `windows` allows it only for the candidates of `readWindow`, and for pages that were read for several types.
   */
  readonly sorts?: boolean | 'windows'
  /** True for work that may have nothing to do and then reads nothing. */
  readonly mayReadNothing?: boolean
}

const enoughRows = 5_000

/** The reads that the work sends to the database. */
const readsOf = async (t: TestApp, work: () => Promise<unknown>): Promise<readonly Statement[]> =>
  (await statementsOf(t, work)).filter(({ sql }) => /^\s*(select|with)\b/i.test(sql))

/**
 * Inserts `count` rows by `insert into … select`, in which `n.n` is the number of the row from 1. On PostgreSQL it also updates the
 * statistics of the table.
 */
export const fill = async (
  t: TestApp,
  table: string,
  count: number,
  columns: Readonly<Record<string, string>>,
): Promise<void> => {
  const { knex } = t.app.core.db
  const numbers = `with recursive n(n) as (select 1 union all select n + 1 from n where n < ${count})`
  const names = Object.keys(columns).join(', ')
  const values = Object.values(columns).join(', ')
  await knex.raw(
    dialect === 'sqlite'
      ? `insert into "${table}" (${names}) ${numbers} select ${values} from n`
      : `${numbers} insert into "${table}" (${names}) select ${values} from n`,
  )
  if (dialect === 'postgres') await knex.raw(`analyze "${table}"`)
}

/** SQL for a time that is `n.n` seconds after the beginning of 2026, in the form of the database. For `fill`. */
export const secondsIn2026 =
  dialect === 'sqlite' ? '1767225600000 + n.n * 1000' : "timestamptz '2026-01-01T00:00:00Z' + n.n * interval '1 second'"

interface PostgresNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PostgresNode[]
}
interface PostgresClient {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: PostgresNode }[] }[] }>
}

const allNodes = (node: PostgresNode): readonly PostgresNode[] => [node, ...(node.Plans ?? []).flatMap(allNodes)]

const explainPostgres = async (t: TestApp, { sql, bindings }: Statement): Promise<readonly PostgresNode[]> => {
  const { client } = t.app.core.db.knex
  const connection: PostgresClient = await client.acquireConnection()
  let position = 0
  const text = /\$\d/.test(sql) ? sql : sql.replace(/\?/g, () => `$${++position}`)
  try {
    await connection.query('begin')
    const { rows } = await connection.query(
      `explain (analyze, timing off, buffers off, costs off, format json) ${text}`,
      bindings,
    )
    return rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan: plan }) => allNodes(plan))
  } finally {
    await connection.query('rollback')
    await client.releaseConnection(connection)
  }
}

const postgresFaults = async (t: TestApp, read: Statement, { tables, maxRows = 2_000 }: PlanOptions) => {
  const nodes = await explainPostgres(t, read)
  const faults: string[] = []
  let rows = 0
  for (const node of nodes) {
    const { 'Relation Name': relation, 'Node Type': type, 'Actual Loops': loops } = node
    if (type === 'Sort' && (node.Plans?.[0]?.['Actual Rows'] ?? 0) * loops > maxRows) faults.push('sorts')
    if (relation === undefined || !tables.includes(relation)) continue
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    rows += (node['Actual Rows'] + removed) * loops
  }
  if (rows > maxRows) faults.push(`looks at ${rows} rows`)
  return faults
}

const sqliteFaults = async (t: TestApp, { sql, bindings }: Statement, { tables, sorts = false }: PlanOptions) => {
  // The catalogue grows only with the schema.
  if (/\bsqlite_master\b|\bpragma_table_list\b/.test(sql)) return []
  const steps: readonly { readonly detail: string }[] = await t.app.core.db.knex.raw(`explain query plan ${sql}`, [
    ...bindings,
  ] as never)
  const details = steps.map(({ detail }) => detail)
  const derived = details.flatMap((detail) => /^(?:MATERIALIZE|CO-ROUTINE) (\S+)/.exec(detail)?.[1] ?? [])
  return details.flatMap((detail) => {
    // A full-text index that is searched for matches.
    if (/ VIRTUAL TABLE INDEX \d+:M/.test(detail)) return []
    const scanned = /^SCAN (\S+)(?! USING)(?:$| VIRTUAL)/.exec(detail)?.[1]
    if (scanned !== undefined && !derived.includes(scanned) && !/CONSTANT|json_each|subquery/.test(detail))
      return [`reads all of ${scanned}`]
    // SQLite has chosen the primary key for the order. It reads every row, however few the condition leaves.
    if (/^SCAN \S+ USING (?:COVERING )?INDEX sqlite_autoindex_/.test(detail) && tables.includes(detail.split(' ')[1] ?? ''))
      return [`walks the primary key: ${detail}`]
    const maySort = sorts === 'windows' ? /limit \?\) as `c`|limit \d+\) as part/.test(sql) : sorts
    return /^USE TEMP B-TREE/.test(detail) && !maySort ? ['sorts'] : []
  })
}

const filled = new WeakMap<TestApp, Set<string>>()
/** Throws if a table has too few rows for a meaningful plan. */
const requireFilled = async (t: TestApp, table: string): Promise<void> => {
  const known = filled.get(t) ?? new Set()
  if (known.has(table)) return
  const rows = await t.app.core.db.knex(table).limit(enoughRows).select(t.app.core.db.knex.raw('1'))
  if (rows.length < enoughRows) throw new Error(`${table} has ${rows.length} rows: fill it with ${enoughRows} first`)
  filled.set(t, known.add(table))
}

/** Faults of statements with their values. A test that calls `planFaults` repeatedly with the same options examines each of them once. */
const examined = new WeakMap<PlanOptions, Map<string, readonly string[]>>()

/**
 * Faults in the plans of the reads that the work makes. On SQLite these are tables that are read as a whole, and sorts. On PostgreSQL
 * these are statements that read or sort more rows than allowed. A call with the same `options` object as an earlier one does not examine
 * the same statements again: fill tables before the first call.
 */
export const planFaults = async (t: TestApp, options: PlanOptions, work: () => Promise<unknown>): Promise<readonly string[]> => {
  for (const table of options.tables) await requireFilled(t, table)
  const reads = await readsOf(t, work)
  if (reads.length === 0 && options.mayReadNothing !== true) throw new Error('the work has read nothing')
  const faults: string[] = []
  const known = examined.get(options) ?? new Map<string, readonly string[]>()
  examined.set(options, known)
  for (const read of reads) {
    const key = JSON.stringify(read)
    const found = known.get(key) ?? (await (dialect === 'postgres' ? postgresFaults : sqliteFaults)(t, read, options))
    known.set(key, found)
    faults.push(...found.map((fault) => `${fault}: ${read.sql}`))
  }
  return faults
}
