import type { Ban } from '../../access/ban.ts'
import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { AppError } from '../../core/errors.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Retention } from '../../core/retention.ts'
import type { User } from '../../identity/users/index.ts'
import type { SecondFactorUser } from '../second-factors/index.ts'
import type { Impersonator, StartedSession } from '../sessions/index.ts'
import type { Attempt, AuthenticationMethod, authenticatedAt, Decision, MethodName, Proof } from './rules.ts'
import type { ThrottleKey, Throttling } from './throttling/service.ts'

/** An attempt with the data that counting wrong proofs needs. */
export interface OpenAttempt extends Attempt {
  /** The principal of the request. It is the actor in events of the attempt. */
  readonly principal: Principal
  readonly throttleKey: ThrottleKey
  /**
   * True if the attempt comes from a browser that has signed in to the account before, from a session, or from a mailed link. Under load,
   * passwords of trusted attempts are hashed before all other passwords.
   */
  readonly isTrusted: boolean
  /** The id of the pending sign-in that the attempt continues. */
  readonly pendingId?: string
  /** The id of the session to which the attempt adds a proof. */
  readonly sessionId?: string
}

/** An attempt that continues a pending sign-in or adds a proof to a session. */
export interface ContinuedAttempt extends OpenAttempt {
  readonly user: User
  readonly origin: 'pending' | 'session'
  readonly rememberMe: boolean
  /** True if the user has to add a second factor first. */
  readonly mustEnrol: boolean
}

/** A sign-in whose proofs are correct but not enough. Only this result has its `token`, because the database stores only the hash. */
export interface PendingSignIn {
  readonly token: string
  /** The methods that the user can use next. The list is empty if the user has to add a second factor first. */
  readonly methods: readonly MethodName[]
  readonly mustEnrol: boolean
  /** True if the browser had a session of another user. That session has now ended. */
  readonly endsSession: boolean
}

/** A pending sign-in as support sees it. */
export interface WaitingSignIn {
  readonly id: string
  readonly given: readonly string[]
  /** True if the user has to add a second factor first. */
  readonly mustEnrol: boolean
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The outcome of an attempt that was not refused. */
export type Outcome =
  | { readonly kind: 'session'; readonly started: StartedSession }
  | { readonly kind: 'pending'; readonly pending: PendingSignIn }

/** The facts about the user that the sign-in policy needs. */
export interface Subject extends Ban, SecondFactorUser {
  readonly emailVerified: boolean
}

export interface StartOptions {
  /** False if the session ends when the browser is closed. */
  readonly rememberMe: boolean
}

/**
 * Handles attempts to sign in: finds the user, collects proofs, lets the policy decide, and limits guessing. Sign-in methods check a
 * proof and pass it to this service. No other code starts sessions (`SessionStarter`).
 */
export interface Attempts {
  /**
   * Opens an attempt for a normalized mail address or user name that a person typed. If no account has it, `userId` is undefined, and the
   * function does equal work. Wrong proofs are counted for the typed text, because a count for the account would reveal that a mail
   * address and a user name belong together. `isKnown` says that this browser has signed in to the account before; if it is absent, the
   * database is asked. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER if the network of an untrusted client has made too many requests.
   */
  openByAddress(principal: Principal, typed: string, userId: string | undefined, isKnown?: boolean): Promise<OpenAttempt>
  /** Opens an attempt for the user to whom a link was mailed. */
  openByLink(principal: Principal, user: { readonly id: string; readonly email: string }): OpenAttempt
  /** Opens an attempt for a signed-in user who proves their identity again. It starts with the proofs of the user's session. */
  openBySession(principal: UserPrincipal): Promise<OpenAttempt>
  /**
   * Continues the pending sign-in with the token `pendingToken` (`cookies.pendingSignIn()`). Without that token, it opens an attempt for
   * the caller's session. Throws INVALID_TWO_FACTOR_COOKIE if there is neither, if the sign-in has expired, or if sign-in and session
   * belong to different users.
   */
  open(principal: Principal, pendingToken: string | undefined): Promise<ContinuedAttempt>
  /**
   * Counts the attempt, then checks a proof that can be guessed, such as a password. Returns undefined if the proof is wrong. The attempt
   * stays counted until `succeed` or `conclude` is called. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and
   * TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD before the check.
   */
  prove<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod, isRight: () => Promise<boolean>): Promise<A | undefined>
  /** Adds a proof that nobody can guess, such as a signature. The caller has checked it. */
  add<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod): A
  /** Makes a proof by a method that the caller has checked just now. */
  proof(method: AuthenticationMethod, userId: string): Proof
  /** Lets the policy decide whether the proofs are enough for a session. */
  decide(db: Db, principal: Principal, attempt: Attempt, user: Subject): Promise<Decision>
  /** Makes the error for a refusal of the policy. */
  errorOf(refusal: Extract<Decision, { readonly kind: 'refusal' }>): AppError
  /**
   * Throws BANNED_USER if the user is banned. Handlers of mailed links that do not sign in call this check. They have checked the link
   * before.
   */
  requireNotBanned(user: Ban): void
  /** Deletes the counters of wrong proofs after a successful attempt. */
  succeed(tx: Tx, attempt: OpenAttempt): Promise<void>
  /**
   * Ends an attempt: starts a session, or stores the sign-in for its next step. The caller has locked or inserted the row of the user.
   * Throws the refusal of the policy. Throws INVALID_TWO_FACTOR_COOKIE if another request has continued the sign-in meanwhile.
   */
  conclude(tx: Tx, principal: Principal, attempt: OpenAttempt, user: Subject, options: StartOptions): Promise<Outcome>
  /** Opens an attempt with proofs that nobody can guess, and ends it like `conclude`. */
  concludeWith(tx: Tx, principal: Principal, user: Subject, proofs: readonly Proof[], options: StartOptions): Promise<Outcome>
  /**
   * Starts a session if the proofs are enough. Otherwise returns undefined, and the user has to sign in. Used by calls that sign in as a
   * side effect, such as a sign-up. Throws the refusal of the policy.
   */
  startIfEnough(
    tx: Tx,
    principal: Principal,
    user: Subject,
    proofs: readonly Proof[],
    options: StartOptions,
  ): Promise<StartedSession | undefined>
  /** Starts a session in which an administrator impersonates a user, for at most `seconds`. The caller has checked the permission. */
  impersonate(
    tx: Tx,
    context: RequestContext,
    userId: string,
    impersonator: Impersonator,
    seconds: number,
  ): Promise<StartedSession>
  /** Counts a request of the caller's network that hashes a password or sends a mail. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER. */
  limitNetwork: Throttling['limitNetwork']
  /** Deletes the counters of wrong proofs and the pending sign-ins of a user. Called when the user has a new password or is deleted. */
  forgetFailures: Throttling['forget']
  /** Ends the pending sign-ins of a user. */
  endPending(tx: Tx, userId: string): Promise<void>
  /** The pending sign-ins of a user, including those that were abandoned within the last day. The newest comes first. */
  pendingOf(db: Db, userId: string): Promise<readonly WaitingSignIn[]>
  /** The time of the authentication (`auth_time`): proofs given at that time or later are enough for the session's class. */
  authenticatedAt: typeof authenticatedAt
  /** The waits and locks that now apply to this account. */
  throttleState: Throttling['state']
  /** The retention rule that deletes pending sign-ins a day after they have expired. */
  readonly retention: Retention
}
