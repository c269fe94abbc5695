type Statuses = number | readonly [usual: number, ...others: number[]]

/**
 * Status and message of each error code. A code is its message in upper case, with underscores for blanks and without all other signs. If
 * a code has several statuses, the usual one comes first. With `oauthError` the answer has the form of the OAuth errors, `{error,
 * error_description}` (accounts specification, section 8).
 */
export type ErrorTable = Readonly<Record<string, readonly [status: Statuses, message: string, oauthError?: string]>>

/** One fault of an input: the field, and the form that it should have. */
export interface Issue {
  readonly path: string
  readonly message: string
  /** Expected type and received value, where the specification wants both (billing events). */
  readonly expected?: string
  readonly received?: string
}

export interface ErrorDetails<Status extends number = number> {
  /** A more exact message (`Provider x is not supported.`) in the place of the usual one. */
  readonly message?: string
  /** A status from the table that is not the usual one. */
  readonly status?: Status
  readonly issues?: readonly Issue[]
  /** Seconds after which the caller may try again. The answer has them as `Retry-After`. */
  readonly retryAfterSeconds?: number
}

/** An expected error, with a documented code. Every other error is a bug (500). */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** The value of `error` in an answer in the form of OAuth. */
  readonly oauthError: string | undefined

  constructor(code: string, status: number, message: string, details: ErrorDetails = {}, oauthError?: string) {
    super(details.message ?? message)
    this.name = 'AppError'
    this.code = code
    this.status = details.status ?? status
    this.issues = details.issues
    this.retryAfterSeconds = details.retryAfterSeconds
    this.oauthError = oauthError
  }
}

/** The code that belongs to a message (wire behaviour, section 1). */
export const codeOf = (message: string): string =>
  message
    .toUpperCase()
    .replaceAll(' ', '_')
    .replace(/[^A-Z0-9_]/g, '')

const listOf = (statuses: Statuses): readonly [number, ...number[]] => (typeof statuses === 'number' ? [statuses] : statuses)

type StatusOf<S> = S extends readonly (infer N extends number)[] ? N : S extends number ? S : never

/** The errors of a feature: `throw accountErrors.error('INVALID_PASSWORD')`. Only codes and statuses of the table compile. */
export const errorsOf = <const T extends ErrorTable>(table: T) => ({
  table,
  error: <K extends keyof T & string>(code: K, details?: ErrorDetails<StatusOf<T[K][0]>>): AppError => {
    const [statuses, message, oauthError] = table[code] as ErrorTable[string]
    return new AppError(code, listOf(statuses)[0], message, details, oauthError)
  },
})

/** A status of a code, with its message. */
export interface ListedError {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly oauthError: string | undefined
}

/** Every code with each of its statuses, sorted. If several features list the same pair, the first one gives the message. */
export const listErrors = (tables: readonly ErrorTable[]): readonly ListedError[] => {
  const listed = new Map<string, ListedError>()
  for (const [code, [statuses, message, oauthError]] of tables.flatMap((table) => Object.entries(table)))
    for (const status of listOf(statuses)) {
      const key = `${code} ${status}`
      if (!listed.has(key)) listed.set(key, { code, status, message, oauthError })
    }
  return [...listed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error)
}

/** Errors that any endpoint can return. Only core and http throw them. */
export const coreErrors = errorsOf({
  VALIDATION_ERROR: [400, 'Validation error'],
  INVALID_JSON: [400, 'Invalid JSON'],
  INVALID_HOST: [400, 'Invalid host'],
  UNAUTHORIZED: [401, 'Unauthorized'],
  FORBIDDEN: [403, 'Forbidden'],
  INVALID_ORIGIN: [403, 'Invalid origin'],
  INVALID_CALLBACKURL: [403, 'Invalid callbackURL'],
  INVALID_REDIRECTURL: [403, 'Invalid redirectURL'],
  INVALID_ERRORCALLBACKURL: [403, 'Invalid errorCallbackURL'],
  INVALID_NEWUSERCALLBACKURL: [403, 'Invalid newUserCallbackURL'],
  SESSION_IS_NOT_FRESH: [403, 'Session is not fresh'],
  SECOND_FACTOR_REQUIRED: [403, 'Second factor required'],
  NOT_FOUND: [404, 'Not found'],
  PRECONDITION_FAILED: [412, 'Precondition failed'],
  BODY_TOO_LARGE: [413, 'Body too large'],
  /** 400 answers a raw body, for which few statuses are allowed (billing events, section 3). */
  UNSUPPORTED_MEDIA_TYPE: [[415, 400], 'Unsupported media type'],
  MISDIRECTED_REQUEST: [421, 'Misdirected request'],
  TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER: [429, 'Too many requests. Please try again later.'],
  INTERNAL_SERVER_ERROR: [500, 'Internal server error'],
  SERVICE_UNAVAILABLE: [503, 'Service unavailable'],
})
