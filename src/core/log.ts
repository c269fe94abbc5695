import { type DestinationStream, type Logger, pino, stdTimeFunctions, symbols } from 'pino'
import { formatLogLine } from './output/log-line.ts'

export type Log = Logger

/** By name, not whole: drivers put values of the failed statement into other fields of their errors. */
const describeError = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: name, message, code, constraint, stack }
}

interface LogOptions {
  /** Where it goes; standard error when absent. */
  readonly destination?: DestinationStream | undefined
  /** Lines for people instead of JSON. */
  readonly text?: { readonly isColoured: boolean } | undefined
}

/** Lines are read by a person as they come: nothing is held back. */
const asText = (destination: DestinationStream, isColoured: boolean): DestinationStream => ({
  write: (line) => destination.write(formatLogLine(line, isColoured)),
})

/** Nothing is opened for a log that says nothing: the flush of its file would go on as long as the process. */
const nowhere: DestinationStream = { write: () => undefined }

/** What is written at once, unless 250 ms pass before: each write goes through a thread, which costs as much as fifty lines. */
const batchBytes = 16_384

const destinationOf = (level: string, { destination, text }: LogOptions): DestinationStream => {
  if (level === 'silent') return nowhere
  if (text !== undefined) return asText(destination ?? pino.destination({ dest: 2, sync: true }), text.isColoured)
  return (
    destination ?? pino.destination({ dest: 2, sync: false, minLength: batchBytes, maxWrite: 2 * batchBytes, periodicFlush: 250 })
  )
}

/** Structured log, UTC, one JSON object a line, or the same as text. Secrets are redacted by name as a second net; the first is not to log them. */
export const createLog = (level: string, options: LogOptions = {}): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'password',
          'token',
          'secret',
          'authorization',
          'cookie',
          '*.password',
          '*.token',
          '*.secret',
          '*.authorization',
          '*.cookie',
        ],
        censor: '[redacted]',
      },
    },
    destinationOf(level, options),
  )

/**
 * Logs at `info` in pino's form, for the line that every request has: pino takes three times as long. Nothing is redacted: no field may be
 * called as what has to be, nor hold an object.
 */
export const logPlainly = (log: Log, fields: Readonly<Record<string, string | number | boolean>>, msg: string): void => {
  if (!log.isLevelEnabled('info')) return
  const { [symbols.streamSym]: stream } = log as unknown as { readonly [symbols.streamSym]: DestinationStream }
  stream.write(`{"level":"info"${stdTimeFunctions.isoTime()},${JSON.stringify({ ...fields, msg }).slice(1)}\n`)
}
