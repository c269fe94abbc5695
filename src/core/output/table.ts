import { readableAddresses } from '../idna.ts'
import { relativeTime, timeOf } from './times.ts'
import { displayWidth, padTo, shorten } from './width.ts'

/** A row of a result. Its keys are the names of columns. */
export type Row = Readonly<Record<string, unknown>>

/** How a result is shown to people. If no field is set, as for a pipe, values are complete, times are in ISO form, and there are no colours. */
export interface View {
  /** Number of columns of the terminal. */
  readonly width?: number
  /** The current time, from which relative times are counted. */
  readonly now?: Date
  readonly isColoured?: boolean
}

/**
 * Text that can safely be written to a terminal. Characters that control a terminal or change the direction of text are removed, because
 * the text may come from people who are not trusted. Domains in email addresses get their readable form.
 */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are to be removed
  readableAddresses(text).replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

/** A value as the text of one table cell, on one line. */
export const cellOf = (value: unknown, now?: Date): string => {
  if (value === null || value === undefined) return ''
  const time = timeOf(value)
  if (time !== undefined) return now === undefined ? time.toISOString() : relativeTime(time, now)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return printable(text).replaceAll('\n', ' ')
}

const gap = '  '
// The smallest width to which a column is narrowed, so that `59 minutes ago` still fits, and the smallest width of a column with ids.
const [narrowest, narrowestId] = [14, 9]
const isIdColumn = (name: string) => /^(id|kid)$|(_id|Id)$/.test(name)

/**
 * Narrows the widest columns until a line fits into `width`. No column gets narrower than its smallest width. Undefined if the line still
 * does not fit.
 */
const fitWidths = (names: readonly string[], natural: readonly number[], width: number): readonly number[] | undefined => {
  const widths = [...natural]
  let excess = widths.reduce((sum, one) => sum + one, 0) + gap.length * (widths.length - 1) - width
  // Columns with ids are narrowed only if nothing else helps, because people copy ids into commands.
  for (const least of [
    (name: string) => (isIdColumn(name) ? Number.POSITIVE_INFINITY : narrowest),
    (name: string) => (isIdColumn(name) ? narrowestId : narrowest),
  ])
    while (excess > 0) {
      const [column] = names
        .map((name, index) => [index, (widths[index] ?? 0) - least(name)] as const)
        .filter(([, spare]) => spare > 0)
        .sort(([a], [b]) => (widths[b] ?? 0) - (widths[a] ?? 0))
      if (column === undefined) break
      widths[column[0]] = (widths[column[0]] ?? 0) - 1
      excess -= 1
    }
  return excess > 0 ? undefined : widths
}

const [bold, red, yellow, reset] = ['\u001b[1m', '\u001b[31m', '\u001b[33m', '\u001b[39m']
const colourOf = (cell: string): string | undefined => {
  if (/^(failed|dead|quarantined|banned|disabled|error|critical|FAILED\b.*)$/.test(cell.trim())) return red
  return /^(pending|retiring|retired|warning|WARNING\b.*)$/.test(cell.trim()) ? yellow : undefined
}
const coloured = (cell: string): string => {
  const colour = colourOf(cell)
  return colour === undefined ? cell : `${colour}${cell}${reset}`
}

/** Shows an object as lines, each with a name and a value. After a time comes the relative time. */
export const formatFields = (value: Row, view: View = {}): string => {
  const width = Math.max(0, ...Object.keys(value).map((name) => displayWidth(printable(name))))
  const shown = (field: unknown) => {
    const whole = cellOf(field)
    return view.now === undefined || timeOf(field) === undefined ? whole : `${whole} (${cellOf(field, view.now)})`
  }
  const heading = (name: string) => (view.isColoured === true ? `${bold}${name}\u001b[22m` : name)
  return Object.entries(value)
    .map(([name, field]) => `${heading(padTo(printable(name), width))}  ${shown(field)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

/** The names of all columns that occur in the rows, in the order in which they first occur. */
export const columnsOf = (rows: readonly Row[]): readonly string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/**
 * Shows rows as a table with column names. On a narrow terminal, the widest cells are shortened. If the table still does not fit, each
 * row becomes several lines with a name and a value.
 */
export const formatTable = (rows: readonly Row[], view: View = {}): string => {
  const names = columnsOf(rows)
  if (names.length === 0) return 'none\n'
  const lines = rows.map((row) => names.map((name) => cellOf(row[name], view.now)))
  const headings = names.map(printable)
  const natural = names.map((_, column) => Math.max(...[headings, ...lines].map((line) => displayWidth(line[column] ?? ''))))
  const widths = fitWidths(names, natural, view.width ?? Number.POSITIVE_INFINITY)
  if (widths === undefined) return rows.map((row) => formatFields(row, view)).join('\n')
  const format = (line: readonly string[], decorate: (cell: string) => string) =>
    line
      .map((cell, column) => {
        const shown = shorten(cell, widths[column] ?? 0)
        const filled = column === line.length - 1 ? shown : padTo(shown, widths[column] ?? 0)
        return decorate(filled)
      })
      .join(gap)
      .trimEnd()
  const isColoured = view.isColoured === true
  const heading = isColoured ? `${bold}${format(headings, (cell) => cell)}\u001b[22m` : format(headings, (cell) => cell)
  return [heading, ...lines.map((line) => format(line, isColoured ? coloured : (cell) => cell))]
    .map((line) => `${line}\n`)
    .join('')
}
