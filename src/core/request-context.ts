/** Where a call comes from, and what its headers say about the caller. */
export interface RequestContext {
  /** The client's IP address in canonical form. An empty text if there is none, as for the command line or a job. */
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  /**
   * Returns an id by which the browser is recognised at later sign-ins. It comes from a signed cookie of the browser, or is new. Absent
   * if the caller is not a browser.
   */
  readonly deviceId?: () => string
  /** The header `Accept-Language`, not parsed. */
  readonly acceptLanguage?: string
  /** The time zone of the browser from the header `Gatehouse-Time-Zone`. It is an IANA name that `Intl` knows. */
  readonly timeZone?: string
  /**
   * The organization that the caller asks for, from the header `Gatehouse-Organization`: an id or slug. It is only a hint and gives no
   * permission.
   */
  readonly organization?: string
  /** Why the actor makes the change, from the header `Gatehouse-Reason` or the option `--reason`. The events of the call store this text. */
  readonly reason?: string
}
