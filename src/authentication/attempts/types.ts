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

/** An attempt whose proofs can be guessed: wrong ones are counted. */
export interface OpenAttempt extends Attempt {
  /** The actor of the attempt in its events. */
  readonly principal: Principal
  readonly throttleKey: ThrottleKey
  /** A browser that has signed in before, a session or a mailed link: its passwords are hashed first. */
  readonly isTrusted: boolean
  /** The pending sign-in that it continues. */
  readonly pendingId?: string
  /** The session for the further proof. */
  readonly sessionId?: string
}

/** The continuation of a pending sign-in, or a further proof for a session. */
export interface ContinuedAttempt extends OpenAttempt {
  readonly user: User
  readonly origin: 'pending' | 'session'
  readonly rememberMe: boolean
  /** True if the user first has to add a second factor. */
  readonly mustEnrol: boolean
}

/** A sign-in with proofs that are right but not enough. `token` is returned only here; its hash is stored. */
export interface PendingSignIn {
  readonly token: string
  /** The methods that the user can prove next. Empty if the user has to add a second factor. */
  readonly methods: readonly MethodName[]
  readonly mustEnrol: boolean
  /** The browser's session of another user, which has ended. */
  readonly endsSession: boolean
}

/** A sign-in without its next step. */
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

/** The columns of a user for the policy. */
export interface Subject extends Ban, SecondFactorUser {
  readonly emailVerified: boolean
}

export interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
}

/**
 * The state machine of signing in: user, proofs, and the decision of the policy. Only this service starts sessions (`SessionStarter`).
 * Methods check a proof and pass it here; limits on guessing apply here.
 */
export interface Attempts {
  /**
   * Opens an attempt for a normalized address or user name that was typed; `userId` is undefined without an account, which costs the
   * same. Wrong proofs are counted for the typed text: otherwise the counts would show which name and address belong to one account.
   * `isKnown`: this browser has signed in to the account before; by default, it is looked up. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER for the network of an untrusted client.
   */
  openByAddress(principal: Principal, typed: string, userId: string | undefined, isKnown?: boolean): Promise<OpenAttempt>
  /** Opens an attempt for the user of a mailed link. */
  openByLink(principal: Principal, user: { readonly id: string; readonly email: string }): OpenAttempt
  /** Opens an attempt for a signed-in user who proves their identity again, with the proofs of their session. */
  openBySession(principal: UserPrincipal): Promise<OpenAttempt>
  /**
   * Continues the sign-in with `pendingToken` (`cookies.pendingSignIn()`), else the session of the caller. Throws
   * INVALID_TWO_FACTOR_COOKIE without either, for an expired sign-in, and if both belong to different users.
   */
  open(principal: Principal, pendingToken: string | undefined): Promise<ContinuedAttempt>
  /**
   * Counts the attempt, then checks a proof that can be guessed; undefined for a wrong one. The count stays until `succeed` or
   * `conclude`. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD before the check.
   */
  prove<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod, isRight: () => Promise<boolean>): Promise<A | undefined>
  /** Adds a proof that cannot be guessed and that the caller has checked. */
  add<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod): A
  /** A checked proof with the current time. */
  proof(method: AuthenticationMethod, userId: string): Proof
  /** The decision of the policy about the proofs. */
  decide(db: Db, principal: Principal, attempt: Attempt, user: Subject): Promise<Decision>
  /** The error for a refusal. */
  errorOf(refusal: Extract<Decision, { readonly kind: 'refusal' }>): AppError
  /** Throws BANNED_USER. For actions of a mailed link other than a sign-in; the caller has checked the link. */
  requireNotBanned(user: Ban): void
  /** Deletes the counts of a successful attempt. */
  succeed(tx: Tx, attempt: OpenAttempt): Promise<void>
  /**
   * Ends an attempt: starts the session, or stores the sign-in for its next step. Throws the refusal of the policy, and
   * INVALID_TWO_FACTOR_COOKIE if another request has continued it meanwhile. The user's row is locked or new.
   */
  conclude(tx: Tx, principal: Principal, attempt: OpenAttempt, user: Subject, options: StartOptions): Promise<Outcome>
  /** Ends an attempt like `conclude`, for proofs that cannot be guessed. */
  concludeWith(tx: Tx, principal: Principal, user: Subject, proofs: readonly Proof[], options: StartOptions): Promise<Outcome>
  /**
   * Starts a session if the proofs are enough; undefined if more are needed, and the user has to sign in. For calls in which the sign-in
   * is secondary, such as a sign-up. Throws the refusal of the policy.
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
  /** Deletes a user's wrong proofs and pending sign-ins, after a new password or the deletion of the user. */
  forgetFailures: Throttling['forget']
  /** Ends the pending sign-ins of a user. */
  endPending(tx: Tx, userId: string): Promise<void>
  /** Pending sign-ins of a user, and those given up in the last day; newest first. */
  pendingOf(db: Db, userId: string): Promise<readonly WaitingSignIn[]>
  /** Time of the oldest proof that the class of a session needs. */
  authenticatedAt: typeof authenticatedAt
  /** Current waits of sign-ins to this account. */
  throttleState: Throttling['state']
  /** Retention of sign-ins without their next step for a day. */
  readonly retention: Retention
}
