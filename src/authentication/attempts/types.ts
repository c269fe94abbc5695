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

/** An attempt whose proofs can be guessed: its wrong ones are counted. */
export interface OpenAttempt extends Attempt {
  /** The actor of the attempt in its events. */
  readonly principal: Principal
  readonly throttleKey: ThrottleKey
  /** A browser that has signed in before, a session or a mailed link: its hashes are computed first. */
  readonly isTrusted: boolean
  /** The sign-in between its steps that it goes on with. */
  readonly pendingId?: string
  /** The session that gets a further proof. */
  readonly sessionId?: string
}

/** The continuation of a sign-in between its steps, or a further proof for a session. */
export interface ContinuedAttempt extends OpenAttempt {
  readonly user: User
  readonly origin: 'pending' | 'session'
  readonly rememberMe: boolean
  /** The user has to add a second factor before anything else. */
  readonly mustEnrol: boolean
}

/** A sign-in whose proofs are right and not enough. `token` is returned only here; its hash is stored. */
export interface PendingSignIn {
  readonly token: string
  /** The methods that the user can prove next. Empty if the user has to add a second factor. */
  readonly methods: readonly MethodName[]
  readonly mustEnrol: boolean
  /** The browser had a session of another user, which has ended. */
  readonly endsSession: boolean
}

/** A sign-in whose next step has not come. */
export interface WaitingSignIn {
  readonly id: string
  readonly given: readonly string[]
  /** The user has to add a second factor. */
  readonly mustEnrol: boolean
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The result of an attempt. */
export type Outcome =
  | { readonly kind: 'session'; readonly started: StartedSession }
  | { readonly kind: 'pending'; readonly pending: PendingSignIn }

/** A user as the policy looks at them. */
export interface Subject extends Ban, SecondFactorUser {
  readonly emailVerified: boolean
}

export interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
}

/**
 * The state machine of signing in: the user, the proofs, and the decision of the policy. The only caller of `SessionStarter`. Methods check
 * a proof and bring it here; limits on guessing are applied here.
 */
export interface Attempts {
  /**
   * Opens an attempt for an address or user name that somebody typed, normalized; `userId` is undefined when no account has it, which costs
   * the same. Wrong proofs are counted for the typed text: otherwise the counts would show which name and address belong to one account. `isKnown`: this
   * browser has signed in to the account before; left out, it is looked up. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER for the network
   * of an untrusted client.
   */
  openByAddress(principal: Principal, typed: string, userId: string | undefined, isKnown?: boolean): Promise<OpenAttempt>
  /** Opens one for the user of a mailed link. */
  openByLink(principal: Principal, user: { readonly id: string; readonly email: string }): OpenAttempt
  /** Opens one for a signed-in user who proves themselves again, with the proofs that their session was given. */
  openBySession(principal: UserPrincipal): Promise<OpenAttempt>
  /**
   * Goes on with the sign-in that `pendingToken` names (`cookies.pendingSignIn()`), else with the session of the caller. Throws
   * INVALID_TWO_FACTOR_COOKIE when there is neither, its time is over, or the two are of different users.
   */
  open(principal: Principal, pendingToken: string | undefined): Promise<ContinuedAttempt>
  /**
   * Counts the attempt, then checks a proof that can be guessed; undefined when it is wrong. The count stays until `succeed` or `conclude`.
   * Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD before it is checked.
   */
  prove<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod, isRight: () => Promise<boolean>): Promise<A | undefined>
  /** The attempt with a proof that cannot be guessed and that the caller has checked. */
  add<A extends OpenAttempt>(attempt: A, method: AuthenticationMethod): A
  /** A proof that the caller has checked, made now. */
  proof(method: AuthenticationMethod, userId: string): Proof
  /** The decision of the policy about the proofs. */
  decide(db: Db, principal: Principal, attempt: Attempt, user: Subject): Promise<Decision>
  /** The error with which a refusal is answered. */
  errorOf(refusal: Extract<Decision, { readonly kind: 'refusal' }>): AppError
  /** Throws BANNED_USER. For actions of a mailed link besides signing in; the caller has checked the link. */
  requireNotBanned(user: Ban): void
  /** Deletes the counts of an attempt that succeeded. */
  succeed(tx: Tx, attempt: OpenAttempt): Promise<void>
  /**
   * Ends an attempt with its proofs: starts the session, or keeps the sign-in for its next step. Throws what the policy refuses with, and
   * INVALID_TWO_FACTOR_COOKIE when another request has gone on with it meanwhile. The user's row is locked or new.
   */
  conclude(tx: Tx, principal: Principal, attempt: OpenAttempt, user: Subject, options: StartOptions): Promise<Outcome>
  /** As `conclude`, for proofs that cannot be guessed. */
  concludeWith(tx: Tx, principal: Principal, user: Subject, proofs: readonly Proof[], options: StartOptions): Promise<Outcome>
  /**
   * Starts a session where the proofs are enough; undefined where more are needed, and the user signs in by themselves. For calls that sign
   * people in beside something else, such as a sign-up. Throws what the policy refuses with.
   */
  startIfEnough(
    tx: Tx,
    principal: Principal,
    user: Subject,
    proofs: readonly Proof[],
    options: StartOptions,
  ): Promise<StartedSession | undefined>
  /** Starts a session in which an administrator acts as a user, for at most `seconds`. The caller has decided that they may. */
  impersonate(
    tx: Tx,
    context: RequestContext,
    userId: string,
    impersonator: Impersonator,
    seconds: number,
  ): Promise<StartedSession>
  /** Counts one request of the caller's network for something expensive. Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER. */
  limitNetwork: Throttling['limitNetwork']
  /** Deletes the wrong proofs counted against a user, and sign-ins between their steps: the password is a new one, or the user is deleted. */
  forgetFailures: Throttling['forget']
  /** Ends the sign-ins of a user that wait for their next step. */
  endPending(tx: Tx, userId: string): Promise<void>
  /** Sign-ins of a user that wait for their next step, or were given up in the last day; newest first. */
  pendingOf(db: Db, userId: string): Promise<readonly WaitingSignIn[]>
  /** Since when all was proven that the class of a session rests on. */
  authenticatedAt: typeof authenticatedAt
  /** The waits that hold for a sign-in to this account now. */
  throttleState: Throttling['state']
  /** Of sign-ins whose next step has not come in a day. */
  readonly retention: Retention
}
