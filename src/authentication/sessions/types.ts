import type { CurrentSession, Principal, UserPrincipal } from '../../access/principal.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Retention } from '../../core/retention.ts'
import type { ActiveScope, StoredProof } from './store.ts'

/** A new session. `token` is returned only here; the database stores its hash. */
export interface StartedSession {
  readonly token: string
  readonly session: CurrentSession
  /** The lifetime of the cookie in seconds; undefined if the cookie ends with the browser. */
  readonly cookieSeconds: number | undefined
}

/** A session in a list, without its token. */
export interface ListedSession extends Omit<CurrentSession, 'token' | 'lacksSecondFactor'> {
  readonly device: string
}

/** The authentication of a session's user (docs/design/sign-in.md#what-a-session-stores). */
export interface Authentication {
  /** Values of RFC 8176, section 2. */
  readonly amr: readonly string[]
  /** The authentication class: the strength of all proofs together. */
  readonly acr: string
  /** The methods that have succeeded, with the time of each proof. */
  readonly proofs: readonly StoredProof[]
}

/** The authentication of a new session. */
interface NewAuthentication extends Authentication {
  /** The number of kinds of factors. */
  readonly factors: number
  /** The time of the last proof that is strong enough for sensitive changes; null if there was none. */
  readonly provenAt: Date | null
  /** True if a remembered browser has replaced the second factor. */
  readonly isRemembered: boolean
}

interface StartOptions {
  /** False if the session ends with the browser. */
  readonly rememberMe: boolean
  readonly authentication: NewAuthentication
}

/** The administrator who impersonates a user. */
export interface Impersonator {
  readonly userId: string
  readonly sessionId: string
  /** The end of the administrator's own session. The impersonation ends at this time at the latest. */
  readonly sessionExpiresAt: Date
}

/** Starts sessions. Only `authentication/attempts` gets the starter, because it checks that the proofs are enough. */
export interface SessionStarter {
  /**
   * Starts a session. A session of another user in this browser ends. A session of the same user is renewed: it keeps its id and gets a
   * new token. A sign-in for one application therefore does not end the tokens of other applications.
   */
  start(tx: Tx, principal: Principal, userId: string, options: StartOptions): Promise<StartedSession>
  /**
   * Starts an impersonated session of at most `seconds`. It is never extended, and it ends with the session of the administrator, which
   * continues meanwhile. The browser does not become known to the user.
   */
  startImpersonation(
    tx: Tx,
    context: RequestContext,
    userId: string,
    impersonator: Impersonator,
    options: { readonly seconds: number; readonly acr: string },
  ): Promise<StartedSession>
}

export interface Sessions {
  /** The principal of a session with this id that has not ended. The session is not extended, and its token is unknown. */
  ofId(id: string, context: RequestContext): Promise<UserPrincipal | undefined>
  /** Finds the session of a token with its user in one read, and extends it if that is due. Undefined if the token is unknown or expired. */
  authenticate(
    token: string,
    context: RequestContext,
    /** `isUse` is false if the caller only checks the session. The session then does not count as used. */
    options: { readonly extend: boolean; readonly isUse?: boolean },
  ): Promise<Authenticated | undefined>
  /** Works like `authenticate`, and also returns the authentication for callers that report it to applications. It is a single read too. */
  authenticateFully(token: string, context: RequestContext): Promise<FullyAuthenticated | undefined>
  /**
   * The sessions of a user that have not ended. The last used one comes first. Impersonated sessions are included only with
   * `withImpersonations`.
   */
  list(userId: string, options?: { readonly withImpersonations: boolean }): Promise<readonly ListedSession[]>
  /**
   * Ends one of the caller's sessions by its id or token, and returns the id. Throws SESSION_NOT_FOUND, and UNAUTHORIZED for a session of
   * another user.
   */
  revoke(principal: UserPrincipal, idOrToken: string): Promise<string>
  /** Ends all sessions in which this user impersonates others. */
  endImpersonationsBy(tx: Tx, userId: string): Promise<void>
  /**
   * Gives a session of the caller a new token and returns the token. The former token becomes invalid. Returns undefined if the session
   * has ended.
   */
  replaceToken(tx: Tx, session: Pick<CurrentSession, 'id' | 'token'>): Promise<string | undefined>
  /** Finds any session by its id or token. Throws SESSION_NOT_FOUND if there is none or it has ended. */
  require(db: Db, idOrToken: string): Promise<Omit<CurrentSession, 'token' | 'lacksSecondFactor'>>
  /** Ends a session. Returns false if it had ended already. */
  end(tx: Tx, actor: Actor, session: Pick<CurrentSession, 'id' | 'userId'>): Promise<boolean>
  /**
   * Ends all sessions of a user. It also deletes all codes and tokens that applications have for the user, including those that outlive a
   * session. `exceptId` names a session that stays, together with the codes and tokens that were authorized in it.
   */
  endAll(tx: Tx, actor: Actor, userId: string, exceptId?: string): Promise<void>
  /**
   * Sets or clears the active organization and team of a session. The caller has locked the user's membership in this transaction.
   * Returns false if the session has ended.
   */
  setActive(tx: Tx, sessionId: string, organizationId: string | null, teamId: string | null): Promise<boolean>
  /** Sets only the active team. The caller has locked the team membership. Returns false if another organization is active. */
  setActiveTeam(tx: Tx, sessionId: string, organizationId: string, teamId: string | null): Promise<boolean>
  /** Clears the active organization, or with `teamId` only the active team, in the sessions of the scope. */
  clearActive(tx: Tx, scope: ActiveScope): Promise<void>
  /**
   * Clears this active organization in all sessions with one factor. To be called when the organization starts to require two factors.
   * The caller has locked the organization.
   */
  clearActiveOfOneFactor(tx: Tx, organizationId: string): Promise<void>
  /**
   * Removes second factors that rest on a mailbox, such as a mailed code, from the sessions of these users. To be called when a second
   * factor becomes required of the users, because a mailbox is then not enough.
   */
  discountMailboxes(tx: Tx, userIds: readonly string[]): Promise<void>
  /** The id of the user of a session; undefined if the session has ended. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /**
   * Makes sure that a session has not ended, for changes that outlive sessions. It locks the user of the call. A simultaneous reset,
   * claim or ban has therefore ended the session already, or waits for this transaction. Throws UNAUTHORIZED if the session has ended.
   * Does nothing for a call without a session.
   */
  requireAlive(tx: Tx, principal: Principal): Promise<void>
  /**
   * Finds the user of the call's session, and locks the session until the transaction ends. A simultaneous sign-out has therefore
   * committed already, or waits. Undefined if the session has ended, or if another request has renewed it since the call began.
   */
  lockOwner(tx: Tx, session: { readonly id: string; readonly token: string }): Promise<string | undefined>
  /** The authentication of a session, for changes that need a recent proof. Undefined if the session has ended. */
  authenticationOf(db: Db, sessionId: string): Promise<Authentication | undefined>
  /** The readable name of a browser or program, such as "Firefox on Linux". */
  deviceOf(userAgent: string): string
  /** The browser and the address of a call for notices, such as "Firefox on Linux, 203.0.113.9". */
  placeOf(context: Pick<RequestContext, 'userAgent' | 'address'>): string
  /** True if the user was banned so recently that a cached session may not show it. The answer comes from memory (`recentBans`). */
  isRecentlyBanned(userId: string): boolean
  /** True if this browser has signed in to the account before. */
  isKnownDevice(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** The key under which this browser is stored as a known browser. It is for a statement that also reads other rows. */
  deviceKeyOf(deviceId: string | undefined): string
  /** Makes the browser and network of the caller known to the user's account, without a sign-in. */
  rememberDevice(tx: Tx, userId: string, principal: Principal): Promise<void>
  /** Forgets the known browsers of a user. They count as untrusted clients again. */
  forgetDevices(tx: Tx, userId: string): Promise<void>
  /** Deletes expired sessions, and browsers that were not seen for 400 days, the lifetime of their cookie. */
  readonly retentions: readonly Retention[]
  /** Deletes both now. */
  sweep(stop?: AbortSignal): Promise<void>
}

export interface Authenticated {
  readonly principal: UserPrincipal
  /** The new lifetime of the cookie in seconds, if the session was extended. */
  readonly renewedSeconds?: number
}

export interface FullyAuthenticated extends Authenticated {
  readonly authentication: Authentication
}
