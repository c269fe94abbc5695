/** Where a call comes from. */
export interface RequestContext {
  /** Client address in canonical form, or `''` when there is none (CLI, job). */
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  /** Names the browser across sign-ins: from its signed cookie, or made for this request. Absent where there is no browser. */
  readonly deviceId?: () => string
  /** The languages the browser asks for (`Accept-Language`), as they came. */
  readonly acceptLanguage?: string
  /** Time zone of the browser: header `Gatehouse-Time-Zone`, an IANA name that `Intl` knows. */
  readonly timeZone?: string
  /** Organization the request asks to act for: header `Gatehouse-Organization`, an id or slug. A hint, never a right. */
  readonly organization?: string
  /** Why they do it, in their own words: header `Gatehouse-Reason`, or `--reason`. Events that the call records keep it. */
  readonly reason?: string
}
