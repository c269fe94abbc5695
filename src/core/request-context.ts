/** The origin of a call. */
export interface RequestContext {
  /** Client address in canonical form; `''` without one (CLI, job). */
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  /** Identifies the browser across sign-ins: from its signed cookie, or new. Absent without a browser. */
  readonly deviceId?: () => string
  /** The languages of the browser (`Accept-Language`), unparsed. */
  readonly acceptLanguage?: string
  /** Time zone of the browser: header `Gatehouse-Time-Zone`, an IANA name that `Intl` knows. */
  readonly timeZone?: string
  /** Requested organization: header `Gatehouse-Organization`, an id or slug. A hint, which gives no right. */
  readonly organization?: string
  /** Reason in the actor's words: header `Gatehouse-Reason`, or `--reason`. Stored in the events of the call. */
  readonly reason?: string
}
