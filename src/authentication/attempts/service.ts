import { isBanned } from '../../access/ban.ts'
import { isImpersonated, type Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { afterCommit, type Db, type Tx } from '../../core/db/database.ts'
import { AppError } from '../../core/errors.ts'
import { networkOf } from '../../core/network.ts'
import { retentionOfRows } from '../../core/retention.ts'
import { daySeconds, pendingSignInSeconds } from '../../core/time.ts'
import type { Users } from '../../identity/users/index.ts'
import type { SignInFailures } from '../failures/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { SessionStarter, Sessions } from '../sessions/index.ts'
import { attemptErrors } from './contract.ts'
import {
  type Attempt,
  type AttemptPolicy,
  type AuthenticationMethod,
  addProof,
  authenticatedAt,
  type Decision,
  decide,
  impersonatedAcr,
  type Proof,
  restoreProofs,
  startAttempt,
  storeProof,
} from './rules.ts'
import * as store from './store.ts'
import { knownBrowser, secondFactorOf, sessionKey, type Throttling, untrustedClient } from './throttling/service.ts'
import type { Attempts, ContinuedAttempt, OpenAttempt, Outcome, StartOptions, Subject } from './types.ts'

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'metrics'> {
  readonly throttling: Throttling
  readonly users: Pick<Users, 'find'>
  readonly sessions: Pick<Sessions, 'isKnownDevice' | 'authenticationOf' | 'lockOwner' | 'end'>
  readonly secondFactors: SecondFactors
  readonly starter: SessionStarter
  readonly policy: AttemptPolicy
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: Pick<SignInFailures, 'record'>
}

/** Derives the policy from the configuration. With `requireEmailVerification`, a password signs in only users with a verified mail address. */
export const policyOf = ({ requireEmailVerification }: { readonly requireEmailVerification: boolean }): AttemptPolicy => ({
  needVerifiedAddress: requireEmailVerification ? ['password'] : [],
})

/** Replaces the user id if the typed address has no account, so that the database is read as often as with an account. */
const dummyUserId = 'nobody'

interface Parts extends Deps {
  /** Counts attempts to sign in, for the metrics. */
  readonly count: ReturnType<Core['metrics']['counter']>
}

const createProof =
  ({ clock }: Parts): Attempts['proof'] =>
  (method, userId) => ({ method, userId, at: clock.now() })

const noPending = () => attemptErrors.error('INVALID_TWO_FACTOR_COOKIE')

const decideFor = async (
  { clock, secondFactors, policy }: Parts,
  db: Db,
  principal: Principal,
  attempt: Attempt,
  user: Subject,
): Promise<Decision> => {
  const facts = await secondFactors.factsOf(db, user, principal)
  return decide(attempt, { emailVerified: user.emailVerified, isBanned: isBanned(user, clock.now()), ...facts }, policy)
}

const attemptOf = ({ id }: Pick<Subject, 'id'>, proofs: readonly Proof[]) => proofs.reduce(addProof, startAttempt('sign-in', id))

const errorOf: Attempts['errorOf'] = ({ reason }) => {
  if (reason === 'banned') return attemptErrors.error('BANNED_USER')
  if (reason === 'email-not-verified') return attemptErrors.error('EMAIL_NOT_VERIFIED')
  throw new Error(`an attempt that no method can complete: ${reason}`)
}

const startSession = async (
  { count, secondFactors, starter }: Parts,
  tx: Tx,
  principal: Principal,
  { kind, proofs }: Attempt,
  user: Subject,
  { amr, acr, factors, provenAt }: Extract<Decision, { kind: 'session' }>,
  { rememberMe }: StartOptions,
) => {
  const isRemembered = kind === 'sign-in' && factors > new Set(proofs.flatMap(({ method }) => method.factors)).size
  const authentication = { amr, acr, factors, provenAt, proofs: proofs.map(storeProof), isRemembered }
  const started = await starter.start(tx, principal, user.id, { rememberMe, authentication })
  if (isRemembered) await secondFactors.noteRemembered(tx, principal, user.id)
  afterCommit(tx, () => count({ method: proofs.at(-1)?.method.name ?? 'none', outcome: 'session' }))
  return started
}

/** Stores the proofs of an unfinished sign-in under a new token. The previous token cannot continue the sign-in any more. */
const keepProofs = async (
  { clock, random, count }: Parts,
  tx: Tx,
  attempt: Attempt,
  user: Subject,
  mustEnrol: boolean,
  { rememberMe }: StartOptions,
) => {
  const token = random.token(32)
  const row = { id: random.id(), tokenHash: sha256(token), userId: user.id, rememberMe, mustEnrol }
  const [createdAt, expiresAt] = [clock.now(), clock.after(pendingSignInSeconds)]
  await store.insertPending(tx, { ...row, proofs: attempt.proofs.map(storeProof), createdAt, expiresAt })
  afterCommit(tx, () => count({ method: attempt.proofs.at(-1)?.method.name ?? 'none', outcome: 'pending' }))
  return token
}

const ownerOfCall = ({ sessions }: Parts, tx: Tx, principal: Principal) =>
  principal.kind === 'user' ? sessions.lockOwner(tx, principal.session) : undefined

const concludeAttempt = async (
  parts: Parts,
  tx: Tx,
  principal: Principal,
  attempt: Attempt & Pick<OpenAttempt, 'pendingId' | 'sessionId'>,
  user: Subject,
  options: StartOptions,
): Promise<Outcome> => {
  const { sessions, secondFactors } = parts
  // If two requests continue the same sign-in, only the first one finds the row and deletes it.
  if (attempt.pendingId !== undefined && !(await store.deletePending(tx, attempt.pendingId))) throw noPending()
  // A session that has ended meanwhile must not start again. A session that another request has renewed meanwhile must not be renewed
  // again: a factor that was added in that renewal would no longer count as new.
  if (attempt.sessionId !== undefined && (await ownerOfCall(parts, tx, principal)) !== user.id) throw noPending()
  const decision = await decideFor(parts, tx, principal, attempt, user)
  if (decision.kind === 'refusal') throw errorOf(decision)
  await secondFactors.noteRequirement(tx, { ...principal, kind: 'system' }, user)
  if (decision.kind === 'session')
    return { kind: 'session', started: await startSession(parts, tx, principal, attempt, user, decision, options) }
  const mustEnrol = decision.kind === 'enrolment-needed'
  // A sign-in between its steps ends another user's session in this browser, just as a completed sign-in does. Otherwise two people would
  // use the browser at once, and a factor that one person adds could end up in the other person's account.
  const endsSession = principal.kind === 'user' && principal.user.id !== user.id
  if (endsSession) await sessions.end(tx, principal, principal.session)
  const token = await keepProofs(parts, tx, attempt, user, mustEnrol, options)
  return { kind: 'pending', pending: { token, mustEnrol, endsSession, methods: mustEnrol ? [] : decision.methods } }
}

const createOpenBySession =
  ({ db, sessions }: Parts): Attempts['openBySession'] =>
  async (principal) => {
    const { session } = principal
    const given = await sessions.authenticationOf(db, session.id)
    const proofs = restoreProofs(given?.proofs ?? [], session.userId)
    const { userId, factors: counted } = session
    return { kind: 'renewal', userId, proofs, counted, principal, throttleKey: sessionKey(session), isTrusted: true }
  }

/**
 * Records why the second step of a pending sign-in has failed, so that support can look it up. Does nothing for an attempt without a
 * pending sign-in.
 */
const keepFailure = (
  { signInFailures }: Parts,
  { principal, pendingId, userId }: OpenAttempt,
  { name: factor }: AuthenticationMethod,
  reason: 'wrong-second-factor' | 'second-factor-waiting' | 'second-factor-locked',
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

/** The key under which wrong second factors are counted, both in sign-ins and in sessions. */
const secondFactorKey = async ({ db, sessions }: Parts, principal: Principal, userId: string) => {
  const deviceId = principal.deviceId?.()
  const isTrusted = await sessions.isKnownDevice(db, userId, deviceId)
  return { isTrusted, throttleKey: secondFactorOf(userId, isTrusted ? deviceId : undefined) }
}

const openPending = async (parts: Parts, principal: Principal, token: string): Promise<ContinuedAttempt | undefined> => {
  const { db, clock, users } = parts
  const row = await store.findPending(db, sha256(token))
  if (row === undefined || row.expiresAt <= clock.now()) return undefined
  const user = await users.find(db, row.userId)
  if (user === undefined) return undefined
  return {
    ...{ kind: 'sign-in', userId: user.id, proofs: restoreProofs(row.proofs, user.id), pendingId: row.id, user, principal },
    ...{ origin: 'pending', rememberMe: row.rememberMe, mustEnrol: row.mustEnrol },
    ...(await secondFactorKey(parts, principal, user.id)),
  }
}

const openByAddress =
  ({ db, throttling, sessions }: Parts): Attempts['openByAddress'] =>
  async (principal, typed, userId, isKnown) => {
    const deviceId = principal.deviceId?.()
    const isTrusted = isKnown ?? (await sessions.isKnownDevice(db, userId ?? dummyUserId, deviceId))
    const throttleKey =
      isTrusted && userId !== undefined && deviceId !== undefined
        ? knownBrowser(userId, deviceId)
        : untrustedClient(typed, networkOf(principal.address), userId ?? null)
    if (!isTrusted) await throttling.limitNetwork('passwords', principal)
    return { ...startAttempt('sign-in', userId), principal, throttleKey, isTrusted }
  }

const openNextStep = (parts: Parts, openBySession: Attempts['openBySession']): Attempts['open'] => {
  const { db, users } = parts
  return async (principal, pendingToken) => {
    const pending = pendingToken === undefined ? undefined : await openPending(parts, principal, pendingToken)
    // Two simultaneous requests can give a browser a session of one user and a pending sign-in of another user. A proof could then count
    // for the wrong user.
    if (pending !== undefined && principal.kind === 'user' && principal.user.id !== pending.user.id) throw noPending()
    if (pending !== undefined) return pending
    if (principal.kind !== 'user' || isImpersonated(principal)) throw noPending()
    const user = await users.find(db, principal.user.id)
    if (user === undefined) throw noPending()
    const { id: sessionId, rememberMe } = principal.session
    const attempt = { ...(await openBySession(principal)), sessionId, ...(await secondFactorKey(parts, principal, user.id)) }
    return { ...attempt, user, origin: 'session', rememberMe, mustEnrol: false }
  }
}

const prove = (parts: Parts, proof: Attempts['proof']): Attempts['prove'] => {
  const { count, throttling } = parts
  return async (attempt, method, isRight) => {
    const matches = await throttling.check(attempt.principal, attempt.throttleKey, isRight).catch((error: unknown) => {
      const isLimited = error instanceof AppError && error.status === 429
      count({ method: method.name, outcome: isLimited ? 'limited' : 'failed' })
      const isLocked = isLimited && error.code === 'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD'
      if (isLimited) keepFailure(parts, attempt, method, isLocked ? 'second-factor-locked' : 'second-factor-waiting', error)
      throw error
    })
    if (!matches) {
      count({ method: method.name, outcome: 'wrong' })
      keepFailure(parts, attempt, method, 'wrong-second-factor')
    }
    return matches && attempt.userId !== undefined
      ? { ...attempt, ...addProof(attempt, proof(method, attempt.userId)) }
      : undefined
  }
}

const startIfEnough =
  (parts: Parts): Attempts['startIfEnough'] =>
  async (tx, principal, user, proofs, options) => {
    const attempt = attemptOf(user, proofs)
    const decision = await decideFor(parts, tx, principal, attempt, user)
    if (decision.kind === 'refusal') throw errorOf(decision)
    if (decision.kind !== 'session') return undefined
    await parts.secondFactors.noteRequirement(tx, { ...principal, kind: 'system' }, user)
    return startSession(parts, tx, principal, attempt, user, decision, options)
  }

export const createAttempts = (given: Deps): Attempts => {
  const parts: Parts = {
    ...given,
    count: given.metrics.counter({
      name: 'gatehouse_sign_ins_total',
      help: 'Attempts to sign in, by method: sessions that were started (session), right proofs that are not enough (pending), wrong proofs (wrong), attempts that had to wait (limited), and attempts that could not be checked (failed).',
      labels: ['method', 'outcome'],
    }),
  }
  const { db, transact, clock, throttling, starter } = parts
  const proof = createProof(parts)
  const openBySession = createOpenBySession(parts)

  return {
    proof,
    decide: (reader, principal, attempt, user) => decideFor(parts, reader, principal, attempt, user),
    errorOf,
    requireNotBanned: (user) => {
      if (isBanned(user, clock.now())) throw attemptErrors.error('BANNED_USER')
    },
    openByAddress: openByAddress(parts),
    openByLink: (principal, { id, email }) => ({
      ...startAttempt('sign-in', id),
      principal,
      throttleKey: untrustedClient(email, networkOf(principal.address), id),
      isTrusted: true,
    }),
    openBySession,
    open: openNextStep(parts, openBySession),
    prove: prove(parts, proof),
    add: (attempt, method) => {
      if (attempt.userId === undefined) throw new Error('a proof of nobody')
      return { ...attempt, ...addProof(attempt, proof(method, attempt.userId)) }
    },
    succeed: (tx, { throttleKey }) => throttling.succeed(tx, throttleKey),
    conclude: async (tx, principal, attempt, user, options) => {
      await throttling.succeed(tx, attempt.throttleKey)
      return concludeAttempt(parts, tx, principal, attempt, user, options)
    },
    concludeWith: (tx, principal, user, proofs, options) =>
      concludeAttempt(parts, tx, principal, attemptOf(user, proofs), user, options),
    startIfEnough: startIfEnough(parts),
    impersonate: (tx, context, userId, impersonator, seconds) =>
      starter.startImpersonation(tx, context, userId, impersonator, { seconds, acr: impersonatedAcr }),
    limitNetwork: throttling.limitNetwork,
    forgetFailures: async (tx, user) => {
      await throttling.forget(tx, user)
      await store.deletePendingOfUser(tx, user.id)
    },
    endPending: async (tx, userId) => void (await store.deletePendingOfUser(tx, userId)),
    pendingOf: async (reader, userId) =>
      (await store.listPending(reader, userId)).map(({ id, proofs, mustEnrol, createdAt, expiresAt }) => ({
        ...{ id, mustEnrol, createdAt, expiresAt },
        given: proofs.map(({ method }) => method),
      })),
    authenticatedAt,
    throttleState: throttling.state,
    retention: retentionOfRows({ db, transact }, 'sign-ins between their steps', 'given up a day ago', () =>
      // Pending sign-ins are kept for a day after they expire, so that support can explain an abandoned sign-in.
      store.expiredPending(clock.after(-daySeconds)),
    ),
  }
}
