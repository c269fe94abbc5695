import { type Ban, isBanned } from '../../access/ban.ts'
import { isImpersonated, type Principal, type UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { afterCommit, type Db, type Tx } from '../../core/db/database.ts'
import { AppError } from '../../core/errors.ts'
import { networkOf } from '../../core/network.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { pendingSignInSeconds } from '../../core/time.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { SignInFailures } from '../failures/index.ts'
import type { SecondFactors, SecondFactorUser } from '../second-factors/index.ts'
import type { Impersonator, SessionStarter, Sessions, StartedSession } from '../sessions/index.ts'
import { attemptErrors } from './errors.ts'
import {
  type Attempt,
  type AttemptPolicy,
  type AuthenticationMethod,
  addProof,
  authenticatedAt,
  type Decision,
  decide,
  impersonatedAcr,
  type MethodName,
  type Proof,
  restoreProofs,
  startAttempt,
  storeProof,
} from './rules.ts'
import * as store from './store.ts'
import {
  knownBrowser,
  secondFactorOf,
  sessionKey,
  type ThrottleKey,
  type Throttling,
  untrustedClient,
} from './throttling/service.ts'

/** An attempt whose proofs can be guessed: its wrong ones are counted. */
export interface OpenAttempt extends Attempt {
  /** Who makes it: the actor of what is recorded about it. */
  readonly principal: Principal
  readonly throttleKey: ThrottleKey
  /** A browser that has signed in before, a session or a mailed link: its hashes are computed first. */
  readonly isTrusted: boolean
  /** The sign-in between its steps that it goes on with. */
  readonly pendingId?: string
  /** The session that gets a further proof. */
  readonly sessionId?: string
}

/** An attempt that somebody goes on with: their sign-in between its steps, or their session, which gets a further proof. */
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
  /** What the user could prove next. Empty where they have to add a second factor. */
  readonly methods: readonly MethodName[]
  readonly mustEnrol: boolean
}

/** What an attempt has come to. */
export type Outcome =
  | { readonly kind: 'session'; readonly started: StartedSession }
  | { readonly kind: 'pending'; readonly pending: PendingSignIn }

/** A user as the policy looks at them. */
interface Subject extends Ban, SecondFactorUser {
  readonly emailVerified: boolean
}

interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
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
  /** Opens one for a signed-in user who proves themselves again, with the proofs that their session was given. */
  openBySession(principal: UserPrincipal): Promise<OpenAttempt>
  /**
   * Goes on with the sign-in that `pendingToken` names (`cookies.pendingSignIn()`), else with the session of the caller. Throws
   * INVALID_TWO_FACTOR_COOKIE when there is neither, or its time is over.
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
  /** What the policy makes of the proofs. */
  decide(db: Db, principal: Principal, attempt: Attempt, user: Subject): Promise<Decision>
  /** The error with which a refusal is answered. */
  errorOf(refusal: Extract<Decision, { readonly kind: 'refusal' }>): AppError
  /** Throws BANNED_USER. For what a mailed link does besides signing in; the caller has checked the link. */
  requireNotBanned(user: Ban): void
  /** Deletes what was counted for an attempt that was right. */
  succeed(tx: Tx, attempt: OpenAttempt): Promise<void>
  /**
   * Ends an attempt with its proofs: starts the session, or keeps the sign-in for its next step. Throws what the policy refuses with, and
   * INVALID_TWO_FACTOR_COOKIE when another request has gone on with it meanwhile. The user's row is locked or new.
   */
  conclude(tx: Tx, principal: Principal, attempt: OpenAttempt, user: Subject, options: StartOptions): Promise<Outcome>
  /** The same for proofs that cannot be guessed. */
  concludeWith(tx: Tx, principal: Principal, user: Subject, proofs: readonly Proof[], options: StartOptions): Promise<Outcome>
  /**
   * Starts a session where the proofs are enough; undefined where more are needed, and the user signs in by themselves. For what signs
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
  /** Since when all was proven that the class of a session rests on. */
  authenticatedAt: typeof authenticatedAt
  /** What makes somebody wait who signs in to this account now. */
  throttleState: Throttling['state']
  /** Of sign-ins whose time for the next step is over. */
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'metrics'> {
  readonly throttling: Throttling
  readonly users: Pick<Users, 'find'>
  readonly sessions: Pick<Sessions, 'isKnownDevice' | 'authenticationOf' | 'ownerOf'>
  readonly secondFactors: SecondFactors
  readonly starter: SessionStarter
  readonly policy: AttemptPolicy
  /** Undefined where failed attempts are not kept. */
  readonly signInFailures?: Pick<SignInFailures, 'record'>
}

/** What the policy demands. `requireEmailVerification`: a password signs in only with a verified address. */
export const policyOf = ({ requireEmailVerification }: { readonly requireEmailVerification: boolean }): AttemptPolicy => ({
  needVerifiedAddress: requireEmailVerification ? ['password'] : [],
})

/** Looked up where an address has no account, so that as much is read as for one that has. */
const dummyUserId = 'nobody'

export const createAttempts = (deps: Deps): Attempts => {
  const { db, transact, clock, random, metrics, throttling, users, sessions, secondFactors, starter, policy } = deps
  const { signInFailures } = deps
  const count = metrics.counter({
    name: 'gatehouse_sign_ins_total',
    help: 'Attempts to sign in, by method: sessions that were started (session), right proofs that are not enough (pending), wrong proofs (wrong), those that had to wait (limited), and those that could not be checked (failed).',
    labels: ['method', 'outcome'],
  })
  const proof: Attempts['proof'] = (method, userId) => ({ method, userId, at: clock.now() })
  const noPending = () => attemptErrors.error('INVALID_TWO_FACTOR_COOKIE')

  const decideFor: Attempts['decide'] = async (db, principal, attempt, user) => {
    const facts = await secondFactors.factsOf(db, user, principal)
    return decide(attempt, { emailVerified: user.emailVerified, isBanned: isBanned(user, clock.now()), ...facts }, policy)
  }

  const attemptOf = ({ id }: Pick<Subject, 'id'>, proofs: readonly Proof[]) =>
    proofs.reduce(addProof, startAttempt('sign-in', id))

  const errorOf: Attempts['errorOf'] = ({ reason }) => {
    if (reason === 'banned') return attemptErrors.error('BANNED_USER')
    if (reason === 'email-not-verified') return attemptErrors.error('EMAIL_NOT_VERIFIED')
    throw new Error(`an attempt that no method can complete: ${reason}`)
  }

  const startSession = async (
    tx: Tx,
    principal: Principal,
    { proofs }: Attempt,
    user: Subject,
    { amr, acr, factors, provenAt }: Extract<Decision, { kind: 'session' }>,
    { rememberMe }: StartOptions,
  ) => {
    const authentication = { amr, acr, factors, provenAt, proofs: proofs.map(storeProof) }
    const started = await starter.start(tx, principal, user.id, { rememberMe, authentication })
    const given = new Set(proofs.flatMap(({ method }) => method.factors)).size
    if (factors > given) await secondFactors.noteRemembered(tx, principal, user.id)
    afterCommit(tx, () => count({ method: proofs.at(-1)?.method.name ?? 'none', outcome: 'session' }))
    return started
  }

  /** Keeps the proofs for the next step. Its token is a new one: who had the one before does not follow. */
  const keep = async (tx: Tx, attempt: Attempt, user: Subject, mustEnrol: boolean, { rememberMe }: StartOptions) => {
    const token = random.token(32)
    const row = { id: random.id(), tokenHash: sha256(token), userId: user.id, rememberMe, mustEnrol }
    const [createdAt, expiresAt] = [clock.now(), clock.after(pendingSignInSeconds)]
    await store.insertPending(tx, { ...row, proofs: attempt.proofs.map(storeProof), createdAt, expiresAt })
    afterCommit(tx, () => count({ method: attempt.proofs.at(-1)?.method.name ?? 'none', outcome: 'pending' }))
    return token
  }

  const concludeAttempt = async (
    tx: Tx,
    principal: Principal,
    attempt: Attempt & Pick<OpenAttempt, 'pendingId' | 'sessionId'>,
    user: Subject,
    options: StartOptions,
  ): Promise<Outcome> => {
    // Deleted by the first of two requests that go on with it.
    if (attempt.pendingId !== undefined && !(await store.deletePending(tx, attempt.pendingId))) throw noPending()
    // A session that ended meanwhile is not started again.
    if (attempt.sessionId !== undefined && (await sessions.ownerOf(tx, attempt.sessionId)) !== user.id) throw noPending()
    const decision = await decideFor(tx, principal, attempt, user)
    if (decision.kind === 'refusal') throw errorOf(decision)
    await secondFactors.noteRequirement(tx, { ...principal, kind: 'system' }, user)
    if (decision.kind === 'session')
      return { kind: 'session', started: await startSession(tx, principal, attempt, user, decision, options) }
    const mustEnrol = decision.kind === 'enrolment-needed'
    const token = await keep(tx, attempt, user, mustEnrol, options)
    return { kind: 'pending', pending: { token, mustEnrol, methods: mustEnrol ? [] : decision.methods } }
  }

  const openBySession: Attempts['openBySession'] = async (principal) => {
    const { session } = principal
    const given = await sessions.authenticationOf(db, session.id)
    const proofs = restoreProofs(given?.proofs ?? [], session.userId)
    const { userId, factors: counted } = session
    return { kind: 'renewal', userId, proofs, counted, principal, throttleKey: sessionKey(session), isTrusted: true }
  }

  /** Keeps why the second step of a sign-in failed, for those who help; methods that can be a first step keep that themselves. */
  const keepFailure = (
    { principal, pendingId, userId }: OpenAttempt,
    { name: factor }: AuthenticationMethod,
    reason: 'wrong-second-factor' | 'second-factor-waiting',
    error?: AppError,
  ) => {
    if (pendingId === undefined) return
    const detail = { factor, seconds: error?.retryAfterSeconds }
    signInFailures?.record(
      principal,
      { method: 'second-factor', reason, code: error?.code ?? 'INVALID_CODE', userId, detail },
      error,
    )
  }

  const openPending = async (principal: Principal, token: string): Promise<ContinuedAttempt | undefined> => {
    const row = await store.findPending(db, sha256(token))
    if (row === undefined || row.expiresAt <= clock.now()) return undefined
    const user = await users.find(db, row.userId)
    if (user === undefined) return undefined
    const deviceId = principal.deviceId?.()
    const isTrusted = await sessions.isKnownDevice(db, user.id, deviceId)
    return {
      ...{ kind: 'sign-in', userId: user.id, proofs: restoreProofs(row.proofs, user.id), pendingId: row.id, user, principal },
      ...{ origin: 'pending', rememberMe: row.rememberMe, mustEnrol: row.mustEnrol, isTrusted },
      throttleKey: secondFactorOf(user.id, isTrusted ? deviceId : undefined),
    }
  }

  return {
    proof,
    decide: decideFor,
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
    openBySession,
    open: async (principal, pendingToken) => {
      const pending = pendingToken === undefined ? undefined : await openPending(principal, pendingToken)
      if (pending !== undefined) return pending
      if (principal.kind !== 'user' || isImpersonated(principal)) throw noPending()
      const user = await users.find(db, principal.user.id)
      if (user === undefined) throw noPending()
      const { rememberMe } = principal.session
      const attempt = { ...(await openBySession(principal)), sessionId: principal.session.id }
      return { ...attempt, user, origin: 'session', rememberMe, mustEnrol: false }
    },
    prove: async (attempt, method, isRight) => {
      const matches = await throttling.check(attempt.principal, attempt.throttleKey, isRight).catch((error: unknown) => {
        const isLimited = error instanceof AppError && error.status === 429
        count({ method: method.name, outcome: isLimited ? 'limited' : 'failed' })
        if (isLimited) keepFailure(attempt, method, 'second-factor-waiting', error)
        throw error
      })
      if (!matches) {
        count({ method: method.name, outcome: 'wrong' })
        keepFailure(attempt, method, 'wrong-second-factor')
      }
      return matches && attempt.userId !== undefined
        ? { ...attempt, ...addProof(attempt, proof(method, attempt.userId)) }
        : undefined
    },
    add: (attempt, method) => {
      if (attempt.userId === undefined) throw new Error('a proof of nobody')
      return { ...attempt, ...addProof(attempt, proof(method, attempt.userId)) }
    },
    succeed: (tx, { throttleKey }) => throttling.succeed(tx, throttleKey),
    conclude: async (tx, principal, attempt, user, options) => {
      await throttling.succeed(tx, attempt.throttleKey)
      return concludeAttempt(tx, principal, attempt, user, options)
    },
    concludeWith: (tx, principal, user, proofs, options) =>
      concludeAttempt(tx, principal, attemptOf(user, proofs), user, options),
    startIfEnough: async (tx, principal, user, proofs, options) => {
      const attempt = attemptOf(user, proofs)
      const decision = await decideFor(tx, principal, attempt, user)
      if (decision.kind === 'refusal') throw errorOf(decision)
      if (decision.kind !== 'session') return undefined
      await secondFactors.noteRequirement(tx, { ...principal, kind: 'system' }, user)
      return startSession(tx, principal, attempt, user, decision, options)
    },
    impersonate: (tx, context, userId, impersonator, seconds) =>
      starter.startImpersonation(tx, context, userId, impersonator, { seconds, acr: impersonatedAcr }),
    limitNetwork: throttling.limitNetwork,
    forgetFailures: async (tx, user) => {
      await throttling.forget(tx, user)
      await store.deletePendingOfUser(tx, user.id)
    },
    endPending: async (tx, userId) => void (await store.deletePendingOfUser(tx, userId)),
    authenticatedAt,
    throttleState: throttling.state,
    retention: retentionOfRows({ db, transact }, 'sign-ins between their steps', 'whose time is over', () =>
      store.expiredPending(clock.now()),
    ),
  }
}
