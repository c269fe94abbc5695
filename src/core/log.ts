import { type DestinationStream, type Logger, pino, stdTimeFunctions, symbols } from 'pino'
import { createLogStream } from './log-stream.ts'
import { formatLogLine } from './output/log-line.ts'

export type Log = Logger

/** The fields of an error that are logged. Other fields are left out, because drivers store values of the failed statement in them. */
const describeError = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: name, message, code, constraint, stack }
}

interface LogOptions {
  /** Where lines are written. When absent: standard error. */
  readonly destination?: DestinationStream | undefined
  /** If set, lines are written in a form for people, instead of JSON. */
  readonly text?: { readonly isColoured: boolean } | undefined
}

/** The output of a log that writes nothing. It is not a real file, because flushing a file would keep the process alive. */
const nowhere: DestinationStream = { write: () => undefined }

/** JSON lines are collected until they have this many characters. Lines for people are written at once. */
const batchLength = 16_384

const note = (lines: number, code: string) =>
  `{"level":"warn"${stdTimeFunctions.isoTime()},"lines":${lines},"code":"${code}","msg":"log lines could not be written and were dropped"}\n`

const destinationOf = (level: string, { destination, text }: LogOptions): DestinationStream => {
  if (level === 'silent') return nowhere
  const format = text === undefined ? undefined : (line: string) => formatLogLine(line, text.isColoured)
  if (destination === undefined) return createLogStream(2, { batchLength: text === undefined ? batchLength : 0, note, format })
  return format === undefined ? destination : { write: (line) => destination.write(format(line)) }
}

/**
 * The structured log. Each line is one JSON object, or a text for people. Times are in UTC. Callers must not log secrets; the redaction
 * of fields is only a second protection.
 */
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
 * Writes a line with the level `info` in the format of pino. Used for the line of each request, because pino would take three times as
 * long. It redacts nothing: a field must not have a name that the log redacts, and must not contain an object.
 */
export const logPlainly = (log: Log, fields: Readonly<Record<string, string | number | boolean>>, msg: string): void => {
  if (!log.isLevelEnabled('info')) return
  const { [symbols.streamSym]: stream } = log as Log & { readonly [symbols.streamSym]: DestinationStream }
  stream.write(`{"level":"info"${stdTimeFunctions.isoTime()},${JSON.stringify({ ...fields, msg }).slice(1)}\n`)
}
