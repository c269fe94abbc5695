import { csvLine } from './csv.ts'
import { cellOf, columnsOf, formatFields, formatTable, printable, type Row, type View } from './table.ts'

/** The values of `--output`. */
export const outputFormats = ['table', 'json', 'jsonl', 'csv', 'id'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** The result of a command before formatting. */
export interface Output {
  /** The result for programs; an array for a list. */
  readonly json: unknown
  /** The result for people, as a table. For a list, one row for each element of `json`, in its order. Times are ISO texts or `Date`. */
  readonly rows?: readonly Row[]
  /** Several tables with titles, in place of `rows`; after `text` if there is one. */
  readonly sections?: readonly { readonly title: string; readonly rows: readonly Row[] }[]
  /** The result for people, as sentences, instead of `rows`. */
  readonly text?: string
  /** The next page: the value of `--after`, or typed flags such as `--before 42`. Absent at the end. */
  readonly next?: string | null | undefined
  /** The completed work, for a result that cannot be written, and how to get another secret if one was shown once. */
  readonly done?: string
}

export interface OutputOptions {
  readonly format: OutputFormat
  /** Names of the requested columns, in order. */
  readonly columns?: readonly string[] | undefined
  readonly view?: View
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Elements of a list with their forms for programs and people; for other results one element. */
const recordsOf = ({ json, rows = [] }: Output, first: 'json' | 'rows'): readonly Row[] => {
  const elements: readonly unknown[] = Array.isArray(json) ? json : rows.length > 0 ? rows : [json]
  return elements.map((element, index) => {
    const own = isObject(element) ? element : { value: element }
    const shown = elements.length === rows.length ? rows[index] : undefined
    return first === 'json' ? { ...shown, ...own } : { ...own, ...shown }
  })
}

const isList = ({ json, rows }: Output): boolean => Array.isArray(json) || rows !== undefined

/** Names the requested columns that do not exist. An empty list cannot have a wrong one. */
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

/** The standard output of a command. */
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

/** The request for the next page, for standard error; undefined at the end. */
export const formatNext = ({ next }: Output, format: OutputFormat): string | undefined => {
  if (next === undefined || next === null || next === '') return undefined
  const flags = next.startsWith('--') ? next : `--after ${/^[\w.:@-]+$/.test(next) ? next : `'${next.replaceAll("'", "'\\''")}'`}`
  return format === 'json' || format === 'jsonl' ? `${JSON.stringify({ next: flags })}\n` : `more: add ${flags}\n`
}
