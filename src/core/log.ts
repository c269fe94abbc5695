import { type DestinationStream, type Logger, pino, stdTimeFunctions, symbols } from 'pino'
import { createLogStream } from './log-stream.ts'
import { formatLogLine } from './output/log-line.ts'

export type Log = Logger

/** Names the fields to log, because drivers put values of the failed statement into other fields of their errors. */
const describeError = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: name, message, code, constraint, stack }
}

interface LogOptions {
  /** The output. When absent: standard error. */
  readonly destination?: DestinationStream | undefined
  /** Set for lines that people read, instead of JSON. */
  readonly text?: { readonly isColoured: boolean } | undefined
}

/** The output of a silent log, which opens nothing. A flush of a real file would last as long as the process. */
const nowhere: DestinationStream = { write: () => undefined }

/** Number of characters in a batch of lines. Lines for people are written at once. */
const batchLength = 16_384

const note = (lines: number, code: string) =>
  `{"level":"warn"${stdTimeFunctions.isoTime()},"lines":${lines},"code":"${code}","msg":"log lines could not be written and were dropped"}\n`

const destinationOf = (level: string, { destination, text }: LogOptions): DestinationStream => {
  if (level === 'silent') return nowhere
  const format = text === undefined ? undefined : (line: string) => formatLogLine(line, text.isColoured)
  if (destination === undefined) return createLogStream(2, { batchLength: text === undefined ? batchLength : 0, note, format })
  return format === undefined ? destination : { write: (line) => destination.write(format(line)) }
}

/** The structured log in UTC: one JSON object a line, or a readable line. Callers never log secrets; redaction is a second protection. */
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
 * Logs a line at `info` in pino's form. Used for the line of each request, for which pino takes three times as long. It redacts nothing:
 * no field may have a redacted name or contain an object.
 */
export const logPlainly = (log: Log, fields: Readonly<Record<string, string | number | boolean>>, msg: string): void => {
  if (!log.isLevelEnabled('info')) return
  const { [symbols.streamSym]: stream } = log as Log & { readonly [symbols.streamSym]: DestinationStream }
  stream.write(`{"level":"info"${stdTimeFunctions.isoTime()},${JSON.stringify({ ...fields, msg }).slice(1)}\n`)
}
