import type { CurrentSession, Principal, UserPrincipal } from '../../access/principal.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Retention } from '../../core/retention.ts'
import type { ActiveScope, StoredProof } from './store.ts'

/** A new session. Only this result has its `token`, because the database stores only the hash. */
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
  /** The authentication methods as values of RFC 8176, section 2. */
  readonly amr: readonly string[]
  /** The authentication class (`acr`) that all proofs together reach. */
  readonly acr: string
  /** The sign-in methods that have succeeded, with the time of each proof. */
  readonly proofs: readonly StoredProof[]
}

/** The authentication of a new session. */
interface NewAuthentication extends Authentication {
  /** The number of different kinds of factors that were given. */
  readonly factors: number
  /** The time of the last proof that is strong enough for sensitive changes; null if there was none. */
  readonly provenAt: Date | null
  /** True if a remembered browser has replaced the second factor. */
  readonly isRemembered: boolean
}

interface StartOptions {
  /** False if the session ends when the browser is closed. */
  readonly rememberMe: boolean
  readonly authentication: NewAuthentication
}

/** The administrator who impersonates a user. */
export interface Impersonator {
  readonly userId: string
  readonly sessionId: string
  /** The time at which the administrator's own session ends. The impersonation does not last longer. */
  readonly sessionExpiresAt: Date
}

/** Starts sessions. Only `authentication/attempts` may use it, because it checks that the proofs are enough. */
export interface SessionStarter {
  /**
   * Starts a session. A session of another user in this browser ends. A session of the same user is renewed instead: it keeps its id and
   * gets a new token. Codes and tokens of applications that belong to the session therefore stay valid.
   */
  start(tx: Tx, principal: Principal, userId: string, options: StartOptions): Promise<StartedSession>
  /**
   * Starts an impersonated session that lasts at most `seconds` and is never extended. The session ends at the latest with the
   * administrator's own session, which stays valid meanwhile. The browser does not become known to the user's account.
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
  /** The principal of the session with this id; undefined if the session has ended. The session is not extended. The principal has no token. */
  ofId(id: string, context: RequestContext): Promise<UserPrincipal | undefined>
  /**
   * Finds the session of a token, with its user, in one read. Extends the session if that is due. Undefined if the token is unknown or
   * its session has expired.
   */
  authenticate(
    token: string,
    context: RequestContext,
    /** `isUse` is false if the caller only wants to check the session. The session then does not count as used. */
    options: { readonly extend: boolean; readonly isUse?: boolean },
  ): Promise<Authenticated | undefined>
  /**
   * Does what `authenticate` does, and also returns the session's authentication, for callers that report it to applications. This also
   * takes only one read.
   */
  authenticateFully(token: string, context: RequestContext): Promise<FullyAuthenticated | undefined>
  /**
   * The sessions of a user that have not ended. The session that was used last comes first. Impersonated sessions are included only with
   * `withImpersonations`.
   */
  list(userId: string, options?: { readonly withImpersonations: boolean }): Promise<readonly ListedSession[]>
  /**
   * Ends a session of the caller, named by its id or token. Returns the id. Throws SESSION_NOT_FOUND. Throws UNAUTHORIZED if the session
   * belongs to another user.
   */
  revoke(principal: UserPrincipal, idOrToken: string): Promise<string>
  /** Ends all sessions in which this user impersonates others. */
  endImpersonationsBy(tx: Tx, userId: string): Promise<void>
  /** Gives a session of the caller a new token and returns it. The previous token is then invalid. Returns undefined if the session has ended. */
  replaceToken(tx: Tx, session: Pick<CurrentSession, 'id' | 'token'>): Promise<string | undefined>
  /** Finds a session of any user by its id or token. Throws SESSION_NOT_FOUND if there is none, or if it has ended. */
  require(db: Db, idOrToken: string): Promise<Omit<CurrentSession, 'token' | 'lacksSecondFactor'>>
  /** Ends a session. Returns false if it has ended already. */
  end(tx: Tx, actor: Actor, session: Pick<CurrentSession, 'id' | 'userId'>): Promise<boolean>
  /**
   * Ends all sessions of a user. Also deletes all codes and tokens that applications have of the user, even those that would outlive
   * their session. The session `exceptId` stays, and so do codes and tokens that were authorized in it.
   */
  endAll(tx: Tx, actor: Actor, userId: string, exceptId?: string): Promise<void>
  /**
   * Sets the active organization and team of a session; null clears them. The caller has locked the user's membership in this
   * transaction. Returns false if the session has ended.
   */
  setActive(tx: Tx, sessionId: string, organizationId: string | null, teamId: string | null): Promise<boolean>
  /**
   * Sets only the active team. The caller has locked the user's membership in the team. Returns false if another organization is active
   * in the session.
   */
  setActiveTeam(tx: Tx, sessionId: string, organizationId: string, teamId: string | null): Promise<boolean>
  /** Clears the active organization in the sessions that `scope` selects. If `scope` has a `teamId`, clears only the active team. */
  clearActive(tx: Tx, scope: ActiveScope): Promise<void>
  /**
   * Makes the organization no longer active in any session with one factor. Called when the organization starts to require two factors.
   * The caller has locked the organization.
   */
  clearActiveOfOneFactor(tx: Tx, organizationId: string): Promise<void>
  /**
   * Removes second factors that rest on access to a mailbox, such as mailed codes, from the sessions of these users. Called when a second
   * factor becomes required of the users, because access to a mailbox is then not enough.
   */
  discountMailboxes(tx: Tx, userIds: readonly string[]): Promise<void>
  /** The id of the user to whom a session belongs; undefined if the session has ended. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /**
   * Checks that the session of the call has not ended. Needed before a change that outlives the session. The check locks the user. A
   * simultaneous reset, claim or ban has therefore either ended the session before, or waits for this transaction. Throws UNAUTHORIZED if
   * the session has ended. Does nothing if the call has no session.
   */
  requireAlive(tx: Tx, principal: Principal): Promise<void>
  /**
   * Returns the id of the session's user, and locks the session until the transaction ends. A simultaneous sign-out has therefore either
   * committed before, or waits. Undefined if the session has ended, or if another request has renewed it since the call began.
   */
  lockOwner(tx: Tx, session: { readonly id: string; readonly token: string }): Promise<string | undefined>
  /** The authentication of a session, for changes that need a recent proof. Undefined if the session has ended. */
  authenticationOf(db: Db, sessionId: string): Promise<Authentication | undefined>
  /** The readable name of a browser or program, such as "Firefox on Linux". */
  deviceOf(userAgent: string): string
  /** The browser and network address of a call, as text for notices, such as "Firefox on Linux, 203.0.113.9". */
  placeOf(context: Pick<RequestContext, 'userAgent' | 'address'>): string
  /** True if the user was banned so recently that a session in the cookie cache may not show it. The answer comes from memory (`recentBans`). */
  isRecentlyBanned(userId: string): boolean
  /** True if the user has signed in to the account in this browser before. */
  isKnownDevice(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** The hash under which this browser is stored as known, for a statement that reads other rows too. */
  deviceKeyOf(deviceId: string | undefined): string
  /** Makes the caller's browser and network known to the account of the user, although the user has not signed in there. */
  rememberDevice(tx: Tx, userId: string, principal: Principal): Promise<void>
  /** Forgets all browsers that are known to the user's account. They then count as untrusted clients. */
  forgetDevices(tx: Tx, userId: string): Promise<void>
  /** The retention rules for expired sessions, and for devices that were not used for 400 days. That is the lifetime of their cookie. */
  readonly retentions: readonly Retention[]
  /** Deletes expired sessions and unused devices now. */
  sweep(stop?: AbortSignal): Promise<void>
}

export interface Authenticated {
  readonly principal: UserPrincipal
  /** The new lifetime of the cookie in seconds; absent if the session was not extended. */
  readonly renewedSeconds?: number
}

export interface FullyAuthenticated extends Authenticated {
  readonly authentication: Authentication
}
