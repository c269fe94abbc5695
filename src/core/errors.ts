/**
 * Code -> status and message. A code is its message in upper case, blanks as underscores, everything else removed. With `oauthError` the
 * answer has the shape of the provider's errors, `{error, error_description}` (accounts specification, section 8).
 */
export type ErrorTable = Readonly<Record<string, readonly [status: number, message: string, oauthError?: string]>>

/** One thing that is wrong with an input: which field, and what was expected. */
export interface Issue {
  readonly path: string
  readonly message: string
  /** Expected type and received value, where the specification separates them (billing events). */
  readonly expected?: string
  readonly received?: string
}

export interface ErrorDetails {
  /** Replaces the table's message where it names something (`Provider x is not supported.`). */
  readonly message?: string
  /** Replaces the table's status where the specification lets one code answer with several. */
  readonly status?: number
  readonly issues?: readonly Issue[]
  /** Seconds after which the caller may try again; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
}

/** An expected error with a documented code. Everything else that is thrown is a bug (500). */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** `error` of the answer, where it has the shape of OAuth. */
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

/** The errors of one feature: `throw accountErrors.error('INVALID_PASSWORD')`. Only codes of its table compile. */
export const errorsOf = <const T extends ErrorTable>(table: T) => ({
  table,
  error: (code: keyof T & string, details?: ErrorDetails): AppError => {
    const [status, message, oauthError] = table[code] as ErrorTable[string]
    return new AppError(code, status, message, details, oauthError)
  },
})

/** Errors that any endpoint can return; thrown by core and http. */
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
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type'],
  MISDIRECTED_REQUEST: [421, 'Misdirected request'],
  TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER: [429, 'Too many requests. Please try again later.'],
  INTERNAL_SERVER_ERROR: [500, 'Internal server error'],
  SERVICE_UNAVAILABLE: [503, 'Service unavailable'],
})
