type Statuses = number | readonly [usual: number, ...others: number[]]

/**
 * The status and message of each error code. A code is its message in upper case, with an underscore for each blank and without all other
 * signs. If a code has several statuses, the usual status comes first. If `oauthError` is set, the body of the answer has the form of
 * OAuth errors, `{error, error_description}` (accounts specification, section 8).
 */
export type ErrorTable = Readonly<Record<string, readonly [status: Statuses, message: string, oauthError?: string]>>

/** A fault in an input: the path of the wrong field, and the form that the field should have. */
export interface Issue {
  readonly path: string
  readonly message: string
  /** The expected type and the received value. Set only for billing events, whose specification requires both. */
  readonly expected?: string
  readonly received?: string
}

export interface ErrorDetails<Status extends number = number> {
  /** A message that is more exact than the usual one, such as `Provider x is not supported.`. */
  readonly message?: string
  /** The status of this error, if it is not the usual one. It must be one of the statuses in the table. */
  readonly status?: Status
  readonly issues?: readonly Issue[]
  /** Seconds after which the caller may try again. The answer says so in the header `Retry-After`. */
  readonly retryAfterSeconds?: number
}

/** An expected error with a documented code. Any other error is a bug, and is answered with 500. */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** The value of the field `error` in the body of an OAuth error. */
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

/** The error code of a message: upper case, underscores for blanks, and no other signs (wire behaviour, section 1). */
export const codeOf = (message: string): string =>
  message
    .toUpperCase()
    .replaceAll(' ', '_')
    .replace(/[^A-Z0-9_]/g, '')

const listOf = (statuses: Statuses): readonly [number, ...number[]] => (typeof statuses === 'number' ? [statuses] : statuses)

type StatusOf<S> = S extends readonly (infer N extends number)[] ? N : S extends number ? S : never

/**
 * Declares the errors of a feature. Use: `throw accountErrors.error('INVALID_PASSWORD')`. The compiler accepts only codes and statuses of
 * the table.
 */
export const errorsOf = <const T extends ErrorTable>(table: T) => ({
  table,
  error: <K extends keyof T & string>(code: K, details?: ErrorDetails<StatusOf<T[K][0]>>): AppError => {
    const [statuses, message, oauthError] = table[code] as ErrorTable[string]
    return new AppError(code, listOf(statuses)[0], message, details, oauthError)
  },
})

/** An error code with one of its statuses and its message. */
export interface ListedError {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly oauthError: string | undefined
}

/**
 * Lists every error code with each of its statuses, in sorted order. If several features have the same code and status, the message of
 * the first feature is used.
 */
export const listErrors = (tables: readonly ErrorTable[]): readonly ListedError[] => {
  const listed = new Map<string, ListedError>()
  for (const [code, [statuses, message, oauthError]] of tables.flatMap((table) => Object.entries(table)))
    for (const status of listOf(statuses)) {
      const key = `${code} ${status}`
      if (!listed.has(key)) listed.set(key, { code, status, message, oauthError })
    }
  return [...listed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error)
}

/** Errors that any endpoint can return. Only the folders core and http throw them. */
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
  /** Usually 415. It is 400 for a call whose body is a raw delivery, because the billing events allow only few statuses (section 3). */
  UNSUPPORTED_MEDIA_TYPE: [[415, 400], 'Unsupported media type'],
  MISDIRECTED_REQUEST: [421, 'Misdirected request'],
  TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER: [429, 'Too many requests. Please try again later.'],
  INTERNAL_SERVER_ERROR: [500, 'Internal server error'],
  SERVICE_UNAVAILABLE: [503, 'Service unavailable'],
})
