import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

/** By name, not whole: drivers put values of the failed statement into other fields of their errors. */
const describeError = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: name, message, code, constraint, stack }
}

/** Structured log, UTC, one JSON object a line. Secrets are redacted by name as a second net; the first is not to log them. */
export const createLog = (level: string, destination?: DestinationStream): Log =>
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
    destination ?? pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 250 }),
  )
