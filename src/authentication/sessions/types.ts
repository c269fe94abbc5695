import type { CurrentSession, Principal, UserPrincipal } from '../../access/principal.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Retention } from '../../core/retention.ts'
import type { ActiveScope, StoredProof } from './store.ts'

/** A new session. `token` is returned only here; its hash is stored. */
export interface StartedSession {
  readonly token: string
  readonly session: CurrentSession
  /** Lifetime of the cookie in seconds; undefined: until the browser closes. */
  readonly cookieSeconds: number | undefined
}

/** A session in a list, without its token. */
export interface ListedSession extends Omit<CurrentSession, 'token' | 'lacksSecondFactor'> {
  readonly device: string
}

/** Authentication of a session's user (docs/design/sign-in.md#what-a-session-stores). */
export interface Authentication {
  /** Values of RFC 8176, section 2. */
  readonly amr: readonly string[]
  /** Authentication context class: the strength of all proofs together. */
  readonly acr: string
  /** Successful methods with the time of each proof. */
  readonly proofs: readonly StoredProof[]
}

/** The authentication for a new session. */
interface NewAuthentication extends Authentication {
  /** Number of kinds of factors. */
  readonly factors: number
  /** Time of the last proof that is enough for sensitive changes; null: none. */
  readonly provenAt: Date | null
  /** True if a remembered browser replaced the second factor. */
  readonly isRemembered: boolean
}

interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
  readonly authentication: NewAuthentication
}

/** The impersonating administrator. */
export interface Impersonator {
  readonly userId: string
  readonly sessionId: string
  /** End of the administrator's session, with which the impersonation ends at the latest. */
  readonly sessionExpiresAt: Date
}

/** Starts sessions. Only `authentication/attempts` gets the starter, because it checks that the proofs are enough. */
export interface SessionStarter {
  /**
   * Starts a session. The session of the request ends. A session of the same user is renewed instead: it keeps its id and gets a new
   * token, so that a sign-in for an application does not end the tokens of others.
   */
  start(tx: Tx, principal: Principal, userId: string, options: StartOptions): Promise<StartedSession>
  /**
   * Starts an impersonated session of at most `seconds`; it is never extended, and ends with the session of the administrator, which
   * continues. The browser does not become known to the user.
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
  /** The principal of a live session with this id: the session is not extended, and its token is unknown. */
  ofId(id: string, context: RequestContext): Promise<UserPrincipal | undefined>
  /** Finds the session of a token with its user, and extends it if due; undefined for an unknown or expired one. One read. */
  authenticate(
    token: string,
    context: RequestContext,
    /** `isUse` is false if the caller only checks the session, which then does not count as used. */
    options: { readonly extend: boolean; readonly isUse?: boolean },
  ): Promise<Authenticated | undefined>
  /** Finds a session like `authenticate`, with its authentication, for callers that report it to applications. One read, too. */
  authenticateFully(token: string, context: RequestContext): Promise<FullyAuthenticated | undefined>
  /** A user's live sessions, last used first. Includes impersonated ones only with `withImpersonations`. */
  list(userId: string, options?: { readonly withImpersonations: boolean }): Promise<readonly ListedSession[]>
  /** Ends one of the caller's sessions, named by id or token; returns its id. Throws SESSION_NOT_FOUND, and UNAUTHORIZED for another user's. */
  revoke(principal: UserPrincipal, idOrToken: string): Promise<string>
  /** Ends all sessions in which the user impersonates others. */
  endImpersonationsBy(tx: Tx, userId: string): Promise<void>
  /** Gives a session of the caller a new token, and returns it; undefined if the session has ended. The former token becomes invalid. */
  replaceToken(tx: Tx, session: Pick<CurrentSession, 'id' | 'token'>): Promise<string | undefined>
  /** Any live session by its id or token. Throws SESSION_NOT_FOUND. */
  require(db: Db, idOrToken: string): Promise<Omit<CurrentSession, 'token' | 'lacksSecondFactor'>>
  /** Ends a session. False if it had ended already. */
  end(tx: Tx, actor: Actor, session: Pick<CurrentSession, 'id' | 'userId'>): Promise<boolean>
  /**
   * Ends all sessions of a user and deletes all codes and tokens of applications for the user, also those that outlive a session.
   * `exceptId` keeps a session with the codes and tokens authorized in it.
   */
  endAll(tx: Tx, actor: Actor, userId: string, exceptId?: string): Promise<void>
  /**
   * Sets the active organization and team of a session, or none. The caller has locked the user's membership in this transaction. False
   * if the session has ended.
   */
  setActive(tx: Tx, sessionId: string, organizationId: string | null, teamId: string | null): Promise<boolean>
  /** Sets only the active team; the caller has locked the team membership. False if another organization is active. */
  setActiveTeam(tx: Tx, sessionId: string, organizationId: string, teamId: string | null): Promise<boolean>
  /** Clears the active organization, or with `teamId` the active team, of all sessions in the scope. */
  clearActive(tx: Tx, scope: ActiveScope): Promise<void>
  /**
   * Clears this active organization in all sessions with one factor. Called when the organization starts to require two; the caller has
   * locked it.
   */
  clearActiveOfOneFactor(tx: Tx, organizationId: string): Promise<void>
  /**
   * Removes second factors that rely on a mailbox, such as a mailed code, from these users' sessions. Called when the users start to need
   * a second factor, for which a mailbox is not enough.
   */
  discountMailboxes(tx: Tx, userIds: readonly string[]): Promise<void>
  /** The user of a live session, or undefined. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /**
   * For a change that outlives sessions: locks the user of the call, so that a simultaneous reset, claim or ban has either ended the
   * session already, or waits for this transaction. Throws UNAUTHORIZED if the session has ended. Does nothing for a call without a
   * session.
   */
  requireAlive(tx: Tx, principal: Principal): Promise<void>
  /**
   * Finds the user of the call's session, and locks the session until the transaction ends: a simultaneous sign-out has committed, or
   * waits. Undefined if the session has ended, or another request has renewed it since the call began.
   */
  lockOwner(tx: Tx, session: { readonly id: string; readonly token: string }): Promise<string | undefined>
  /** Authentication of a session; undefined if it has ended. For changes that need a recent proof. */
  authenticationOf(db: Db, sessionId: string): Promise<Authentication | undefined>
  /** Readable name of a user agent's browser or program: "Firefox on Linux". */
  deviceOf(userAgent: string): string
  /** Browser and address of a call, for notices: "Firefox on Linux, 203.0.113.9". */
  placeOf(context: Pick<RequestContext, 'userAgent' | 'address'>): string
  /** True for a user whose ban may be newer than a cached session. Answered from memory (`recentBans`). */
  isRecentlyBanned(userId: string): boolean
  /** True if this browser has signed in to this account before. */
  isKnownDevice(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** The key of this browser among known ones, for a combined read. */
  deviceKeyOf(deviceId: string | undefined): string
  /** Records the caller's browser and network as known to the user, without a sign-in. */
  rememberDevice(tx: Tx, userId: string, principal: Principal): Promise<void>
  /** Forgets the known browsers of a user: they are untrusted clients again. */
  forgetDevices(tx: Tx, userId: string): Promise<void>
  /** Retentions of expired sessions, and of browsers unseen for 400 days, the lifetime of their cookie. */
  readonly retentions: readonly Retention[]
  /** Runs both retentions now. */
  sweep(stop?: AbortSignal): Promise<void>
}

export interface Authenticated {
  readonly principal: UserPrincipal
  /** The cookie's new lifetime in seconds, for a session that was extended. */
  readonly renewedSeconds?: number
}

export interface FullyAuthenticated extends Authenticated {
  readonly authentication: Authentication
}
