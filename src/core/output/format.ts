import { csvLine } from './csv.ts'
import { cellOf, columnsOf, formatFields, formatTable, printable, type Row, type View } from './table.ts'

/** The allowed values of the option `--output`. */
export const outputFormats = ['table', 'json', 'jsonl', 'csv', 'id'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** The result of a command, before it is written in the requested format. */
export interface Output {
  /** The result for programs. If it is a list, this is an array. */
  readonly json: unknown
  /**
   * The result for people, as a table. If the result is a list, the table has one row for each element of `json`, in the same order.
   * Times are ISO texts or `Date` objects.
   */
  readonly rows?: readonly Row[]
  /** Used instead of `rows`: several tables with titles. If there is also a `text`, it comes first. */
  readonly sections?: readonly { readonly title: string; readonly rows: readonly Row[] }[]
  /** Used instead of `rows`: the result for people in sentences. */
  readonly text?: string
  /** How to request the next page: the value for `--after`, or options as they are typed, such as `--before 42`. Absent on the last page. */
  readonly next?: string | null | undefined
  /**
   * What the command has done. A message says so if the result cannot be written. If the result contains a secret that is shown only
   * once, it also says how to get a new one.
   */
  readonly done?: string
}

export interface OutputOptions {
  readonly format: OutputFormat
  /** The names of the columns that the caller wants, in order. */
  readonly columns?: readonly string[] | undefined
  readonly view?: View
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The elements of a result, in the form for programs (`json`) or for people (`rows`). If one of the two forms is missing, the other is
 * used. A result that is not a list is one element.
 */
const recordsOf = ({ json, rows = [] }: Output, first: 'json' | 'rows'): readonly Row[] => {
  const elements: readonly unknown[] = Array.isArray(json) ? json : rows.length > 0 ? rows : [json]
  return elements.map((element, index) => {
    const own = isObject(element) ? element : { value: element }
    const shown = elements.length === rows.length ? rows[index] : undefined
    return first === 'json' ? { ...shown, ...own } : { ...own, ...shown }
  })
}

const isList = ({ json, rows }: Output): boolean => Array.isArray(json) || rows !== undefined

/** Describes requested columns that the result does not have. Undefined if all exist. If the result is an empty list, any column is accepted. */
export const columnProblem = (output: Output, columns: readonly string[]): string | undefined => {
  const records = recordsOf(output, 'json')
  const known = columnsOf(records)
  const unknown = columns.filter((name) => !known.includes(name))
  if (records.length === 0 || unknown.length === 0) return undefined
  return `--columns: there is no column ${unknown.join(', ')}; there are: ${known.join(', ')}`
}

const pick = (records: readonly Row[], columns: readonly string[]): readonly Row[] =>
  records.map((record) => Object.fromEntries(columns.map((name) => [name, record[name]])))

const idOf = (record: Row): string => {
  const [first] = Object.keys(record)
  const name = ['id', 'client_id', 'kid'].find((candidate) => record[candidate] !== undefined) ?? first ?? ''
  return cellOf(record[name])
}

const forPeople = (output: Output, { columns, view = {} }: OutputOptions): string => {
  const { json, rows, sections, text } = output
  if (columns !== undefined && isList(output)) return formatTable(pick(recordsOf(output, 'rows'), columns), view)
  if (columns !== undefined && isObject(json)) return formatFields(pick([json], columns)[0] ?? {}, view)
  if (text !== undefined || sections !== undefined) {
    const inner = view.width === undefined ? view : { ...view, width: view.width - 2 }
    const indented = (table: string) => table.trimEnd().replace(/^(?=.)/gm, '  ')
    const tables = (sections ?? []).map(({ title, rows }) => `${printable(title)}\n${indented(formatTable(rows, inner))}`)
    const said = text === undefined ? [] : [text.split('\n').map(printable).join('\n')]
    return `${[...said, ...tables].join('\n\n')}\n`
  }
  if (rows !== undefined) return formatTable(rows, view)
  return isObject(json) ? formatFields(json, view) : `${cellOf(json)}\n`
}

const csvOf = (output: Output, columns: readonly string[] | undefined): string => {
  const records = recordsOf(output, 'rows')
  const shown = columns ?? columnsOf(output.rows ?? records)
  if (shown.length === 0) return ''
  return [shown, ...pick(records, shown).map((record) => shown.map((name) => record[name]))].map(csvLine).join('')
}

/** The text that a command writes to standard output. */
export const formatOutput = (output: Output, options: OutputOptions): string => {
  const { format, columns } = options
  const { json } = output
  if (format === 'table') return forPeople(output, options)
  if (format === 'csv') return csvOf(output, columns)
  const records = recordsOf(output, 'json')
  if (format === 'id') return records.map((record) => `${idOf(record)}\n`).join('')
  const picked = columns === undefined ? undefined : pick(records, columns)
  if (format === 'jsonl')
    return (picked ?? (Array.isArray(json) ? json : [json])).map((record) => `${JSON.stringify(record)}\n`).join('')
  const whole = picked === undefined ? json : isList(output) ? picked : picked[0]
  return `${JSON.stringify(whole, null, 2)}\n`
}

/** The text that says how to request the next page. It is written to standard error. Undefined on the last page. */
export const formatNext = ({ next }: Output, format: OutputFormat): string | undefined => {
  if (next === undefined || next === null || next === '') return undefined
  const flags = next.startsWith('--') ? next : `--after ${/^[\w.:@-]+$/.test(next) ? next : `'${next.replaceAll("'", "'\\''")}'`}`
  return format === 'json' || format === 'jsonl' ? `${JSON.stringify({ next: flags })}\n` : `more: add ${flags}\n`
}
