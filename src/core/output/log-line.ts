import { printable } from './table.ts'

const colours: Readonly<Record<string, string>> = {
  trace: '\u001b[90m',
  debug: '\u001b[36m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
}
const [dim, reset] = ['\u001b[2m', '\u001b[0m']

const parseLine = (line: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const two = (number: number) => String(number).padStart(2, '0')
/** The time of day in the time zone of the terminal. */
const timeOfDay = (time: unknown): string => {
  const at = new Date(String(time))
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
}

const shownValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return printable(/^[^\s"=]+$/.test(text) || typeof value !== 'string' ? text : JSON.stringify(text))
}

/** The text below a log line about an error. For a bug it is the stack, otherwise the message. */
const causeOf = (err: unknown): string => {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message } = err as { stack?: unknown; message?: unknown }
  const text = typeof stack === 'string' ? stack : String(message ?? JSON.stringify(err))
  return text
    .split('\n')
    .map((line) => `    ${printable(line).trim()}\n`)
    .join('')
}

/**
 * Turns a line of the JSON log into text for people: `12:03:11 INFO  gatehouse is ready  url=http://localhost:3000`. A line that is not
 * JSON is returned unchanged.
 */
export const formatLogLine = (line: string, isColoured: boolean): string => {
  const parsed = parseLine(line)
  if (parsed === undefined || typeof parsed['level'] !== 'string') return line
  const { level, time, msg, err, ...fields } = parsed
  const paint = (colour: string | undefined, text: string) =>
    isColoured && colour !== undefined && text !== '' ? `${colour}${text}${reset}` : text
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${printable(name)}=${shownValue(value)}`)
    .join(' ')
  const parts = [
    paint(dim, timeOfDay(time)),
    paint(colours[String(level)], String(level).toUpperCase().padEnd(5)),
    [printable(String(msg ?? '')).replaceAll('\n', ' '), paint(dim, shown)].filter((part) => part !== '').join('  '),
  ]
  return `${parts.join(' ')}\n${causeOf(err)}`
}
