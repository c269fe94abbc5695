/** Where a call comes from. */
export interface RequestContext {
  /** Client address in canonical form. An empty text if there is none (command line, job). */
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  /** Identifies the browser across sign-ins. The id comes from the browser's signed cookie, or is new. Absent without a browser. */
  readonly deviceId?: () => string
  /** The languages that the browser asks for (`Accept-Language`), not parsed. */
  readonly acceptLanguage?: string
  /** Time zone of the browser from the header `Gatehouse-Time-Zone`: an IANA name that `Intl` knows. */
  readonly timeZone?: string
  /** Requested organization from the header `Gatehouse-Organization`: an id or slug. It is a hint, and gives no right. */
  readonly organization?: string
  /** The reason in the actor's words, from the header `Gatehouse-Reason` or the option `--reason`. The events of the call store it. */
  readonly reason?: string
}
