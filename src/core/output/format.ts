import { csvLine } from './csv.ts'
import { cellOf, columnsOf, formatFields, formatTable, printable, type Row, type View } from './table.ts'

/** The possible values of `--output`. */
export const outputFormats = ['table', 'json', 'jsonl', 'csv', 'id'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** The result of a command before it is formatted. */
export interface Output {
  /** The result for programs; an array for a list. */
  readonly json: unknown
  /**
   * The result for people, as a table. For a list, it has one row for each element of `json`, in the same order. Times are ISO texts or
   * `Date`.
   */
  readonly rows?: readonly Row[]
  /** Several tables with titles, instead of `rows`. They follow `text`, if there is one. */
  readonly sections?: readonly { readonly title: string; readonly rows: readonly Row[] }[]
  /** The result for people, as sentences instead of `rows`. */
  readonly text?: string
  /** Leads to the next page: the value of `--after`, or options as they are typed, such as `--before 42`. Absent at the end. */
  readonly next?: string | null | undefined
  /** What the command has done, for the case that its result cannot be written. If a secret was to be shown once, it says how to get another. */
  readonly done?: string
}

export interface OutputOptions {
  readonly format: OutputFormat
  /** Names of the requested columns, in order. */
  readonly columns?: readonly string[] | undefined
  readonly view?: View
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The elements of a list, each in its form for programs and for people. Any other result is one element. */
const recordsOf = ({ json, rows = [] }: Output, first: 'json' | 'rows'): readonly Row[] => {
  const elements: readonly unknown[] = Array.isArray(json) ? json : rows.length > 0 ? rows : [json]
  return elements.map((element, index) => {
    const own = isObject(element) ? element : { value: element }
    const shown = elements.length === rows.length ? rows[index] : undefined
    return first === 'json' ? { ...shown, ...own } : { ...own, ...shown }
  })
}

const isList = ({ json, rows }: Output): boolean => Array.isArray(json) || rows !== undefined

/** Names the requested columns that the result lacks. For an empty list, no column is wrong. */
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

/** What a command writes to standard output. */
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

/** Says how to request the next page, on standard error. Undefined at the end. */
export const formatNext = ({ next }: Output, format: OutputFormat): string | undefined => {
  if (next === undefined || next === null || next === '') return undefined
  const flags = next.startsWith('--') ? next : `--after ${/^[\w.:@-]+$/.test(next) ? next : `'${next.replaceAll("'", "'\\''")}'`}`
  return format === 'json' || format === 'jsonl' ? `${JSON.stringify({ next: flags })}\n` : `more: add ${flags}\n`
}
