import { type Ban, isBanned } from '../../access/ban.ts'
import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { afterCommit, type Tx } from '../../core/db/database.ts'
import { AppError } from '../../core/errors.ts'
import { networkOf } from '../../core/network.ts'
import type { RequestContext } from '../../core/request-context.ts'
import type { Impersonator, SessionStarter, Sessions, StartedSession } from '../sessions/index.ts'
import { attemptErrors } from './errors.ts'
import {
  type Attempt,
  type AttemptPolicy,
  type AuthenticationMethod,
  addProof,
  type Decision,
  decide,
  impersonatedAcr,
  oneFactor,
  type Proof,
  startAttempt,
} from './rules.ts'
import { knownBrowser, sessionKey, type ThrottleKey, type Throttling, untrustedClient } from './throttling/service.ts'

/** An attempt whose proofs can be guessed: its wrong ones are counted. */
export interface OpenAttempt extends Attempt {
  /** Who makes it: the actor of what is recorded about it. */
  readonly principal: Principal
  readonly throttleKey: ThrottleKey
  /** A browser that has signed in before, a session or a mailed link: its hashes are computed first. */
  readonly isTrusted: boolean
}

/** A user as the policy looks at them. */
interface Subject extends Ban {
  readonly id: string
  readonly emailVerified: boolean
}

interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
  readonly kind?: Attempt['kind']
}

/**
 * The state machine of signing in: who, which proofs, and what the policy makes of them. The only caller of `SessionStarter`. Methods check
 * a proof and bring it here; limits on guessing are applied here.
 */
export interface Attempts {
  /**
   * Opens an attempt for an address that somebody typed; `userId` is undefined when no account has it, which costs the same. Throws
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER for the network of an untrusted client.
   */
  openByAddress(principal: Principal, email: string, userId: string | undefined): Promise<OpenAttempt>
  /** Opens one for the user of a mailed link. */
  openByLink(principal: Principal, user: { readonly id: string; readonly email: string }): OpenAttempt
  /** Opens one for a signed-in user who proves themselves again, in the session alone. */
  openBySession(principal: UserPrincipal): OpenAttempt
  /**
   * Counts the attempt, then checks a proof that can be guessed; undefined when it is wrong. The count stays until `succeed` or `start`.
   * Throws TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER and TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD before it is checked.
   */
  prove(attempt: OpenAttempt, method: AuthenticationMethod, isRight: () => Promise<boolean>): Promise<OpenAttempt | undefined>
  /** A proof that the caller has checked, made now. */
  proof(method: AuthenticationMethod, userId: string): Proof
  /** What the policy makes of the proofs. */
  decide(attempt: Attempt, user: Subject): Decision
  /** True when the policy would start a session of the user with these proofs. */
  allows(user: Subject, proofs: readonly Proof[]): boolean
  /** The error with which a decision is answered. */
  errorOf(decision: Exclude<Decision, { readonly kind: 'session' }>): AppError
  /** Throws BANNED_USER. For what a mailed link does besides signing in; the caller has checked the link. */
  requireNotBanned(user: Ban): void
  /** Deletes what was counted for an attempt that was right. */
  succeed(tx: Tx, attempt: OpenAttempt): Promise<void>
  /** Starts the session of an attempt with its proofs, or throws what the policy refuses with. The user's row is locked or new. */
  start(tx: Tx, principal: Principal, attempt: OpenAttempt, user: Subject, options: StartOptions): Promise<StartedSession>
  /** The same for proofs that cannot be guessed, or that a new account was made with. */
  startWith(tx: Tx, principal: Principal, user: Subject, proofs: readonly Proof[], options: StartOptions): Promise<StartedSession>
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
  /** Deletes the wrong proofs counted against a user: the password is a new one, or the user is deleted. */
  forgetFailures: Throttling['forget']
  /** What makes somebody wait who signs in to this account now. */
  throttleState: Throttling['state']
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'metrics'> {
  readonly throttling: Throttling
  readonly sessions: Pick<Sessions, 'isKnownDevice'>
  readonly starter: SessionStarter
  readonly policy: AttemptPolicy
}

/** What the policy demands. `requireEmailVerification`: a password signs in only with a verified address. */
export const policyOf = ({ requireEmailVerification }: { readonly requireEmailVerification: boolean }): AttemptPolicy => ({
  levels: [{ acr: oneFactor, factors: 1 }],
  requiredFactors: 1,
  needVerifiedAddress: requireEmailVerification ? ['password'] : [],
})

/** Looked up where an address has no account, so that as much is read as for one that has. */
const dummyUserId = 'nobody'

export const createAttempts = ({ db, clock, metrics, throttling, sessions, starter, policy }: Deps): Attempts => {
  const count = metrics.counter({
    name: 'gatehouse_sign_ins_total',
    help: 'Attempts to sign in, by method: sessions that were started (session), wrong proofs (wrong), those that had to wait (limited), and those that could not be checked (failed).',
    labels: ['method', 'outcome'],
  })
  const proof: Attempts['proof'] = (method, userId) => ({ method, userId, at: clock.now() })
  // No second factor exists yet, so no user has further methods.
  const decideFor: Attempts['decide'] = (attempt, user) => {
    const facts = { emailVerified: user.emailVerified, isBanned: isBanned(user, clock.now()), enrolled: [] }
    return decide(attempt, facts, policy)
  }

  const attemptOf = (kind: Attempt['kind'], { id }: Pick<Subject, 'id'>, proofs: readonly Proof[]) =>
    proofs.reduce(addProof, startAttempt(kind, id))

  const errorOf: Attempts['errorOf'] = (decision) => {
    if (decision.kind === 'refusal' && decision.reason === 'banned') return attemptErrors.error('BANNED_USER')
    if (decision.kind === 'refusal' && decision.reason === 'email-not-verified') return attemptErrors.error('EMAIL_NOT_VERIFIED')
    throw new Error(`an attempt that no method can complete: ${decision.kind}, ${decision.reason}`)
  }

  const startSession = async (tx: Tx, principal: Principal, attempt: Attempt, user: Subject, rememberMe: boolean) => {
    const decision = decideFor(attempt, user)
    if (decision.kind !== 'session') throw errorOf(decision)
    const { amr, acr } = decision
    const proofs = attempt.proofs.map(({ method, at }) => ({ method: method.name, at }))
    const started = await starter.start(tx, principal, user.id, { rememberMe, authentication: { amr, acr, proofs } })
    afterCommit(tx, () => count({ method: proofs.at(-1)?.method ?? 'none', outcome: 'session' }))
    return started
  }

  return {
    proof,
    decide: decideFor,
    allows: (user, proofs) => decideFor(attemptOf('sign-in', user, proofs), user).kind === 'session',
    errorOf,
    requireNotBanned: (user) => {
      if (isBanned(user, clock.now())) throw attemptErrors.error('BANNED_USER')
    },
    openByAddress: async (principal, email, userId) => {
      const deviceId = principal.deviceId?.()
      const isTrusted = await sessions.isKnownDevice(db, userId ?? dummyUserId, deviceId)
      const throttleKey =
        isTrusted && userId !== undefined && deviceId !== undefined
          ? knownBrowser(userId, deviceId)
          : untrustedClient(email, networkOf(principal.address), userId ?? null)
      if (!isTrusted) await throttling.limitNetwork('passwords', principal)
      return { ...startAttempt('sign-in', userId), principal, throttleKey, isTrusted }
    },
    openByLink: (principal, { id, email }) => ({
      ...startAttempt('sign-in', id),
      principal,
      throttleKey: untrustedClient(email, networkOf(principal.address), id),
      isTrusted: true,
    }),
    openBySession: (principal) => ({
      ...startAttempt('renewal', principal.session.userId),
      principal,
      throttleKey: sessionKey(principal.session),
      isTrusted: true,
    }),
    prove: async (attempt, method, isRight) => {
      const matches = await throttling.check(attempt.principal, attempt.throttleKey, isRight).catch((error: unknown) => {
        count({ method: method.name, outcome: error instanceof AppError && error.status === 429 ? 'limited' : 'failed' })
        throw error
      })
      if (!matches) count({ method: method.name, outcome: 'wrong' })
      return matches && attempt.userId !== undefined
        ? { ...attempt, ...addProof(attempt, proof(method, attempt.userId)) }
        : undefined
    },
    succeed: (tx, { throttleKey }) => throttling.succeed(tx, throttleKey),
    start: async (tx, principal, attempt, user, { rememberMe }) => {
      await throttling.succeed(tx, attempt.throttleKey)
      return startSession(tx, principal, attempt, user, rememberMe)
    },
    startWith: (tx, principal, user, proofs, { rememberMe, kind = 'sign-in' }) =>
      startSession(tx, principal, attemptOf(kind, user, proofs), user, rememberMe),
    impersonate: (tx, context, userId, impersonator, seconds) =>
      starter.startImpersonation(tx, context, userId, impersonator, { seconds, acr: impersonatedAcr }),
    limitNetwork: throttling.limitNetwork,
    forgetFailures: throttling.forget,
    throttleState: throttling.state,
  }
}
