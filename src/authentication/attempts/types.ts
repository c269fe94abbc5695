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

/** An attempt whose proofs can be guessed. Wrong proofs are counted. */
export interface OpenAttempt extends Attempt {
  /** The actor in the events of the attempt. */
  readonly principal: Principal
  readonly throttleKey: ThrottleKey
  /**
   * True if the attempt comes from a browser that has signed in before, from a session or from a mailed link. The passwords of such
   * attempts are hashed before those of other clients.
   */
  readonly isTrusted: boolean
  /** The pending sign-in that the attempt continues. */
  readonly pendingId?: string
  /** The session that gets the further proof. */
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

/** A sign-in whose proofs are correct but not enough. `token` is returned only here; the database stores its hash. */
export interface PendingSignIn {
  readonly token: string
  /** The methods that the user can use next. The list is empty if the user has to add a second factor. */
  readonly methods: readonly MethodName[]
  readonly mustEnrol: boolean
  /** True if the browser had a session of another user, which has now ended. */
  readonly endsSession: boolean
}

/** A sign-in that waits for its next step. */
export interface WaitingSignIn {
  readonly id: string
  readonly given: readonly string[]
  /** True if the user has to add a second factor. */
  readonly mustEnrol: boolean
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The result of an attempt. */
export type Outcome =
  | { readonly kind: 'session'; readonly started: StartedSession }
  | { readonly kind: 'pending'; readonly pending: PendingSignIn }

/** The facts about a user that the policy needs. */
export interface Subject extends Ban, SecondFactorUser {
  readonly emailVerified: boolean
}

export interface StartOptions {
  /** False if the session ends with the browser. */
  readonly rememberMe: boolean
}

/**
 * The steps of signing in: the user, the proofs, and the decision of the policy. Only this service starts sessions (`SessionStarter`).
 * Methods check a proof and hand it over. The limits on guessing apply here.
 */
export interface Attempts {
  /**
   * Opens an attempt for a typed and normalized address or user name. Without an account, `userId` is undefined and the same work is
   * done. Wrong proofs are counted for the typed text. Otherwise the counts would reveal which name and address belong to one account.
   * `isKnown` says that this browser has signed in to the account before; if absent, the database is asked. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER for the network of an untrusted client.
   */
  openByAddress(principal: Principal, typed: string, userId: string | undefined, isKnown?: boolean): Promise<OpenAttempt>
  /** Opens an attempt for the user to whom a link was mailed. */
  openByLink(principal: Principal, user: { readonly id: string; readonly email: string }): OpenAttempt
  /** Opens an attempt for a signed-in user who proves their identity again. It starts with the proofs of their session. */
  openBySession(principal: UserPrincipal): Promise<OpenAttempt>
  /**
   * Continues the sign-in with the token `pendingToken` (`cookies.pendingSignIn()`), or else the session of the caller. Throws
   * INVALID_TWO_FACTOR_COOKIE if there is neither, if the sign-in has expired, or if both belong to different users.
   */
  open(principal: Principal, pendingToken: string | undefined): Promise<ContinuedAttempt>
  /**
   * Counts the attempt, then checks a proof that can be guessed. Returns undefined for a wrong proof. The attempt stays counted until
   * `succeed` or `conclude`. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD before the
   * check.
   */
  prove<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod, isRight: () => Promise<boolean>): Promise<A | undefined>
  /** Adds a proof that nobody can guess. The caller has checked it. */
  add<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod): A
  /** A proof that the caller has checked just now. */
  proof(method: AuthenticationMethod, userId: string): Proof
  /** Decides by the policy whether the proofs are enough. */
  decide(db: Db, principal: Principal, attempt: Attempt, user: Subject): Promise<Decision>
  /** Turns a refusal of the policy into an error. */
  errorOf(refusal: Extract<Decision, { readonly kind: 'refusal' }>): AppError
  /** Throws BANNED_USER for a banned user. Mailed links that do not sign anybody in need this check. The caller has checked the link. */
  requireNotBanned(user: Ban): void
  /** Deletes the counts of wrong proofs after a successful attempt. */
  succeed(tx: Tx, attempt: OpenAttempt): Promise<void>
  /**
   * Ends an attempt: starts the session, or stores the sign-in for its next step. The row of the user has to be locked or new. Throws the
   * refusal of the policy, and INVALID_TWO_FACTOR_COOKIE if another request has continued the sign-in meanwhile.
   */
  conclude(tx: Tx, principal: Principal, attempt: OpenAttempt, user: Subject, options: StartOptions): Promise<Outcome>
  /** Works like `conclude`, for proofs that nobody can guess. */
  concludeWith(tx: Tx, principal: Principal, user: Subject, proofs: readonly Proof[], options: StartOptions): Promise<Outcome>
  /**
   * Starts a session if the proofs are enough. Returns undefined if more proofs are needed; the user then has to sign in. It is for calls
   * that sign in on the side, such as a sign-up. Throws the refusal of the policy.
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
  /** Counts an expensive request of the caller's network. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER. */
  limitNetwork: Throttling['limitNetwork']
  /** Deletes the counts of wrong proofs and the pending sign-ins of a user who has a new password or is deleted. */
  forgetFailures: Throttling['forget']
  /** Ends the pending sign-ins of a user. */
  endPending(tx: Tx, userId: string): Promise<void>
  /** The pending sign-ins of a user, and the sign-ins that were abandoned within the last day. The newest comes first. */
  pendingOf(db: Db, userId: string): Promise<readonly WaitingSignIn[]>
  /** The time from which the later proofs alone reach the authentication class of the session. */
  authenticatedAt: typeof authenticatedAt
  /** The waits and locks that apply to this account now. */
  throttleState: Throttling['state']
  /** Deletes pending sign-ins a day after they have expired. */
  readonly retention: Retention
}
