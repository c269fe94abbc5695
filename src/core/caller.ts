/** Where a call comes from. */
export interface Source {
  /** Client address in canonical form, or `''` when there is none (CLI, job). */
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  /** Names the browser across sign-ins: from its signed cookie, or made for this request. Absent where there is no browser. */
  readonly deviceId?: () => string
  /** The languages the browser asks for (`Accept-Language`), as they came. */
  readonly acceptLanguage?: string
  /** Organization the request asks to act for: header `Gatehouse-Organization`, an id or slug. A hint, never a right. */
  readonly organization?: string
}

/** The signed-in user as every use case sees them. */
export interface CallerUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: string
  readonly language: number | null
  /** Fields that the configuration adds, by name. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The session the call was made with. `token` is the raw token: it is known only here, while the request lasts. */
export interface CallerSession {
  readonly id: string
  readonly token: string
  readonly userId: string
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly ipAddress: string
  readonly userAgent: string
  readonly rememberMe: boolean
  readonly activeOrganizationId: string | null
  readonly activeTeamId: string | null
}

export interface AnonymousCaller extends Source {
  readonly kind: 'anonymous'
}
export interface UserCaller extends Source {
  readonly kind: 'user'
  readonly user: CallerUser
  readonly session: CallerSession
}
/** The command line or a job: it runs beside the database and needs no session. */
export interface SystemCaller extends Source {
  readonly kind: 'system'
}

/** Who is asking; the first argument of every use case. */
export type Caller = AnonymousCaller | UserCaller | SystemCaller

/** The caller of commands and jobs. */
export const systemCaller = (requestId: string): SystemCaller => ({ kind: 'system', address: '', userAgent: '', requestId })
