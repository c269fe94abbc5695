import type { CurrentSession, Principal, UserPrincipal } from '../../access/principal.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Retention } from '../../core/retention.ts'
import type { ActiveScope, StoredProof } from './store.ts'

/** A session that has just started. `token` is returned only here; its hash is stored. */
export interface StartedSession {
  readonly token: string
  readonly session: CurrentSession
  /** Life of the cookie in seconds; undefined: until the browser closes. */
  readonly cookieSeconds: number | undefined
}

/** A session in a list: without its token. */
export interface ListedSession extends Omit<CurrentSession, 'token' | 'lacksSecondFactor'> {
  readonly device: string
}

/** How the user of a session was authenticated (docs/design/sign-in.md#what-a-session-stores). */
export interface Authentication {
  /** Values of RFC 8176, section 2. */
  readonly amr: readonly string[]
  /** Authentication context class: how strong the proofs are together. */
  readonly acr: string
  /** The methods that succeeded, with the time of each proof. */
  readonly proofs: readonly StoredProof[]
}

/** How a user has just been authenticated, for the session that starts now. */
interface NewAuthentication extends Authentication {
  /** Kinds of factors that were counted. */
  readonly factors: number
  /** Time of the last proof that is strong enough for sensitive changes; null: there is none. */
  readonly provenAt: Date | null
  /** True when a remembered browser took the place of the second factor. */
  readonly isRemembered: boolean
}

interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
  readonly authentication: NewAuthentication
}

/** An administrator who acts as a user. */
export interface Impersonator {
  readonly userId: string
  readonly sessionId: string
  /** End of the session of the administrator: the impersonation ends then at the latest. */
  readonly sessionExpiresAt: Date
}

/** Starts sessions. Only `authentication/attempts` gets the starter, because it checks that the proofs are enough. */
export interface SessionStarter {
  /**
   * Starts a session. The session that the request came with ends; a session of the same user is renewed instead: it keeps its id and gets a new
   * token, so that a new sign-in for one application does not end the tokens of the others.
   */
  start(tx: Tx, principal: Principal, userId: string, options: StartOptions): Promise<StartedSession>
  /**
   * Starts a session in which another acts as the user, for at most `seconds`; it is never extended and ends with the session of the
   * impersonator, which goes on beside it. The browser does not become known to the user.
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
  /** The session of a token with its user, extended when it is due; undefined when unknown or expired. One read. */
  /** The principal of a live session that something else than its token names: it is not extended, and has no token. */
  ofId(id: string, context: RequestContext): Promise<UserPrincipal | undefined>
  authenticate(
    token: string,
    context: RequestContext,
    /** `isUse` is false where the caller only asks whether the session is still valid; the session then does not count as used. */
    options: { readonly extend: boolean; readonly isUse?: boolean },
  ): Promise<Authenticated | undefined>
  /** As `authenticate`, with how the session was authenticated, for callers that report it to applications. One read, too. */
  authenticateFully(token: string, context: RequestContext): Promise<FullyAuthenticated | undefined>
  /** The live sessions of a user, last used first. Sessions in which an administrator impersonates the user only with `withImpersonations`. */
  list(userId: string, options?: { readonly withImpersonations: boolean }): Promise<readonly ListedSession[]>
  /** Ends one of the caller's sessions, named by id or token; returns its id. Throws SESSION_NOT_FOUND, and UNAUTHORIZED for another's. */
  revoke(principal: UserPrincipal, idOrToken: string): Promise<string>
  /** Ends all sessions in which the user impersonates somebody. */
  endImpersonationsBy(tx: Tx, userId: string): Promise<void>
  /** Gives a session of the caller a new token, and returns it; undefined when the session has ended. The token before no longer works. */
  replaceToken(tx: Tx, session: Pick<CurrentSession, 'id' | 'token'>): Promise<string | undefined>
  /** A live session of anybody by its id or token. Throws SESSION_NOT_FOUND. */
  require(db: Db, idOrToken: string): Promise<Omit<CurrentSession, 'token' | 'lacksSecondFactor'>>
  /** Ends one session. False when it had ended already. */
  end(tx: Tx, actor: Actor, session: Pick<CurrentSession, 'id' | 'userId'>): Promise<boolean>
  /**
   * Ends all sessions of a user and all codes and tokens that applications hold for the user, also tokens that outlive a session. With `exceptId`
   * that session and the codes and tokens that were authorized in it stay.
   */
  endAll(tx: Tx, actor: Actor, userId: string, exceptId?: string): Promise<void>
  /**
   * Sets the active organization and team of a session, or none. The caller has locked the user's membership in this transaction. False when
   * the session has ended.
   */
  setActive(tx: Tx, sessionId: string, organizationId: string | null, teamId: string | null): Promise<boolean>
  /** Sets the active team alone; the caller has locked the team membership. False when another organization is active by now. */
  setActiveTeam(tx: Tx, sessionId: string, organizationId: string, teamId: string | null): Promise<boolean>
  /** Clears the active organization, or with `teamId` the active team, of all sessions in the scope. */
  clearActive(tx: Tx, scope: ActiveScope): Promise<void>
  /**
   * Clears the active organization of all its sessions that have only one factor. Called when the organization begins to require two; the caller
   * has locked it.
   */
  clearActiveOfOneFactor(tx: Tx, organizationId: string): Promise<void>
  /**
   * Takes back, in the sessions of these users, second factors that rest on a mailbox, such as a mailed code. Called when a second factor becomes
   * required of the users: from then on a mailbox is not enough.
   */
  discountMailboxes(tx: Tx, userIds: readonly string[]): Promise<void>
  /** The user of a live session, or undefined. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /**
   * For a change that stays when sessions end: locks the user of the call, so that a simultaneous reset, claim or ban has either ended the session
   * already, or waits for this transaction. Throws UNAUTHORIZED when the session has ended. Does nothing for a call without a session.
   */
  requireAlive(tx: Tx, principal: Principal): Promise<void>
  /**
   * As `ownerOf` for the session of a call, and locks the session until the transaction ends: a simultaneous sign-out has committed, or waits.
   * Undefined also when another request has renewed the session since the call began.
   */
  lockOwner(tx: Tx, session: { readonly id: string; readonly token: string }): Promise<string | undefined>
  /** How a session was authenticated; undefined when it has ended. For changes that need a recent proof. */
  authenticationOf(db: Db, sessionId: string): Promise<Authentication | undefined>
  /** The browser or program of a user agent as a person would say it: "Firefox on Linux". */
  deviceOf(userAgent: string): string
  /** Browser and address of a call, as notices name them: "Firefox on Linux, 203.0.113.9". */
  placeOf(context: Pick<RequestContext, 'userAgent' | 'address'>): string
  /** True for a user who was banned so recently that a cached session may not show it. Answered from memory (`recentBans`). */
  isRecentlyBanned(userId: string): boolean
  /** True when this browser has signed in to this account before. */
  isKnownDevice(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** The key under which this browser is stored as known, for callers that read it together with other rows. */
  deviceKeyOf(deviceId: string | undefined): string
  /** Records the caller's browser and network as known to the user, without a sign-in. */
  rememberDevice(tx: Tx, userId: string, principal: Principal): Promise<void>
  /** Deletes the known browsers of a user: they are untrusted clients again. */
  forgetDevices(tx: Tx, userId: string): Promise<void>
  /** Delete expired sessions, and browsers that were not seen for 400 days, the life of their cookie. */
  readonly retentions: readonly Retention[]
  /** Runs both retentions now. */
  sweep(stop?: AbortSignal): Promise<void>
}

export interface Authenticated {
  readonly principal: UserPrincipal
  /** Set when the session was extended: the cookie's new lifetime in seconds. */
  readonly renewedSeconds?: number
}

export interface FullyAuthenticated extends Authenticated {
  readonly authentication: Authentication
}
