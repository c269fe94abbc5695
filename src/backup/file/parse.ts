import { createSha256 } from '../../core/crypto.ts'
import { Header, TableEnd, TableStart, Total } from '../rules/format.ts'
import { decodeValue, ValueError } from '../rules/values.ts'

/** Receives the content of a backup in the order in which the file contains it. */
export interface BackupSink {
  table?(table: TableStart): Promise<void>
  rows?(rows: readonly (readonly unknown[])[]): Promise<void>
}

/** A table that was read completely, with its number of rows and its hash. */
export type ReadTable = TableStart & Pick<TableEnd, 'rows' | 'sha256'>

interface Parsed {
  readonly tables: readonly ReadTable[]
  readonly total: Total
}

/** How many rows are passed to the sink at once. */
const most = 500

/** Throws an error about a line that a valid backup cannot contain. */
const refuse = (message: string): never => {
  throw new SyntaxError(message)
}

/**
 * Makes a parser for the lines of a backup. `take` checks lines and has to be called in their order. It throws `SyntaxError` or
 * `ZodError` for an invalid line.
 */
export const createParser = (sink: BackupSink): { take(lines: readonly Buffer[]): Promise<void>; finish(): Parsed } => {
  const tables: ReadTable[] = []
  let isHeaderRead = false
  let current: TableStart | undefined
  let hash = createSha256()
  let count = 0
  let total: Total | undefined
  let waiting: (readonly unknown[])[] = []

  const flush = async () => {
    const rows = waiting
    waiting = []
    if (rows.length > 0) await sink.rows?.(rows)
  }
  const takeRow = ({ table, columns }: TableStart, values: unknown) => {
    if (!Array.isArray(values) || values.length !== columns.length) return refuse(`a row of ${table} has not its columns`)
    const row = columns.map(({ name, kind }, i) => {
      try {
        return decodeValue(kind, values[i])
      } catch (error) {
        if (!(error instanceof ValueError)) throw error
        return refuse(`${table}.${name} holds ${error.message}`)
      }
    })
    count += 1
    waiting.push(row)
  }
  const endTable = async (table: TableStart, value: unknown) => {
    const { end, rows, sha256 } = TableEnd.parse(value)
    if (end !== table.table) refuse(`${table.table} ends as ${end}`)
    if (rows !== count) refuse(`${end} has ${count} rows and should have ${rows}`)
    if (sha256 !== hash.digest()) refuse(`the rows of ${end} do not have their hash`)
    await flush()
    tables.push({ ...table, rows, sha256 })
    current = undefined
  }
  const startTable = async (value: unknown) => {
    const table = TableStart.parse(value)
    if (tables.some((other) => other.table >= table.table)) refuse(`${table.table} is out of its order`)
    current = table
    hash = createSha256()
    count = 0
    await sink.table?.(table)
  }
  const takeTotal = (value: unknown) => {
    total = Total.parse(value)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    if (total.tables !== tables.length || total.rows !== rows) refuse('tables or rows are missing')
  }
  const takeLine = async (line: Buffer): Promise<void> => {
    if (total !== undefined) return refuse('there is more behind its end')
    const value: unknown = JSON.parse(line.toString('utf8'))
    if (!isHeaderRead) {
      Header.parse(value)
      isHeaderRead = true
    } else if (current === undefined) {
      const { total: found } = value as { total?: unknown }
      if (found === undefined) await startTable(value)
      else takeTotal(found)
    } else if (line[0] === 0x5b) {
      hash.update(line)
      hash.update('\n')
      takeRow(current, value)
      if (waiting.length >= most) await flush()
    } else await endTable(current, value)
  }

  return {
    take: async (lines) => {
      for (const line of lines) await takeLine(line)
      await flush()
    },
    finish: () => (total === undefined ? refuse('it has no end') : { tables, total }),
  }
}
