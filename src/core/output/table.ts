import { readableAddresses } from '../idna.ts'
import { relativeTime, timeOf } from './times.ts'
import { displayWidth, padTo, shorten } from './width.ts'

/** A row of a result: values by column. */
export type Row = Readonly<Record<string, unknown>>

/** How results are shown to people. Without any field, as in a pipe: complete values, ISO times, no colours. */
export interface View {
  /** Number of columns of the terminal. */
  readonly width?: number
  /** The time that relative times refer to. */
  readonly now?: Date
  readonly isColoured?: boolean
}

/**
 * Text with readable addresses, without characters that control a terminal or the direction of text: it may come from people who are not
 * trusted.
 */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  readableAddresses(text).replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

/** A value on one line. */
export const cellOf = (value: unknown, now?: Date): string => {
  if (value === null || value === undefined) return ''
  const time = timeOf(value)
  if (time !== undefined) return now === undefined ? time.toISOString() : relativeTime(time, now)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return printable(text).replaceAll('\n', ' ')
}

const gap = '  '
// The smallest widths of a column, so that `59 minutes ago` is not shortened, and of a column with ids.
const [narrowest, narrowestId] = [14, 9]
const isIdColumn = (name: string) => /^(id|kid)$|(_id|Id)$/.test(name)

/** Narrows the widest columns until the line fits. No column becomes narrower than its minimum. Undefined if that does not suffice. */
const fitWidths = (names: readonly string[], natural: readonly number[], width: number): readonly number[] | undefined => {
  const widths = [...natural]
  let excess = widths.reduce((sum, one) => sum + one, 0) + gap.length * (widths.length - 1) - width
  // Ids are shortened last, because people copy them into commands.
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

/** An object as lines of name and value. A relative time follows each time. */
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

/** All columns of the rows, in the order in which they first appear. */
export const columnsOf = (rows: readonly Row[]): readonly string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/**
 * Rows as aligned columns with names. On a narrow terminal the widest cells are shortened. If that does not suffice, each row becomes
 * lines of name and value.
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
