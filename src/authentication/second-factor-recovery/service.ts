import type { z } from 'zod'
import type { PermittedPrincipal, Principal } from '../../access/principal.ts'
import type { InstanceRoles } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import { type Db, lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { Actor } from '../../core/events/record.ts'
import { inLanguageOf } from '../../core/language.ts'
import { hourSeconds } from '../../core/time.ts'
import type { ManagedUsers, User, Users } from '../../identity/users/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Attempts, AuthenticationMethod, ContinuedAttempt, Outcome } from '../attempts/index.ts'
import type { UnconfirmedPasswords } from '../methods/mail-codes/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountMails } from '../verification/index.ts'
import {
  type CancelReason,
  type recoveryContract,
  recoveryErrors,
  recoveryEvents,
  type SecondFactorRecovery,
} from './contract.ts'
import type { Notices } from './notices.ts'
import { codeSeconds, isAvailable, mostCodeAttempts, restartSeconds } from './rules.ts'
import * as store from './store.ts'

type State = z.output<typeof SecondFactorRecovery>
type Administered = z.output<typeof recoveryContract.adminSecondFactorRecovery.response>['recovery']

/** Lets a person who has lost all second factors remove them after a wait of some days (docs/design/second-factors.md#lost-factors). */
export interface Recovery {
  /** The state of the wait, for the user of the pending sign-in or of the session. Throws INVALID_TWO_FACTOR_COOKIE. */
  state(principal: Principal, pendingToken: string | undefined): Promise<State>
  /**
   * Starts a wait for the user of the pending sign-in, unless the user is waiting already. Throws INVALID_TWO_FACTOR_COOKIE, BANNED_USER,
   * SECOND_FACTOR_RECOVERY_NOT_AVAILABLE and TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER.
   */
  request(principal: Principal, pendingToken: string | undefined): Promise<State>
  /**
   * Mails the code with which a wait is completed. It replaces an earlier code. Throws the errors of `request`, and
   * SECOND_FACTOR_RECOVERY_NOT_READY.
   */
  sendCode(principal: Principal, pendingToken: string | undefined): Promise<void>
  /**
   * Completes a wait with the mailed code: removes all second factors, ends all sessions, and continues the sign-in. Throws the errors of
   * the contract.
   */
  complete(
    principal: Principal,
    pendingToken: string | undefined,
    code: string,
  ): Promise<{ readonly user: User; readonly outcome: Outcome }>
  /**
   * Ends the wait for a person who has given the password or is signed in. Throws INVALID_TWO_FACTOR_COOKIE and
   * SECOND_FACTOR_RECOVERY_NOT_FOUND.
   */
  cancel(principal: Principal, pendingToken: string | undefined): Promise<void>
  /**
   * Ends a wait with the token from a notice. All sessions end too, and the present password cannot start another wait. Throws
   * SECOND_FACTOR_RECOVERY_NOT_FOUND.
   */
  cancelByLink(principal: Principal, token: string): Promise<void>
  /** The wait of a user, for administrators. Throws NOT_FOUND. */
  ofUser(userId: string): Promise<Administered>
  /** Ends the wait of a user at the request of an administrator. Throws NOT_FOUND, FORBIDDEN and SECOND_FACTOR_RECOVERY_NOT_FOUND. */
  cancelOfUser(principal: PermittedPrincipal, userId: string): Promise<void>
  /** Ends the wait of a user as part of another change, in its transaction. Returns false if the user has no wait. */
  end(tx: Tx, actor: Actor, userId: string, reason: CancelReason): Promise<boolean>
}

interface Deps extends Core {
  readonly users: Users
  readonly managedUsers: ManagedUsers
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
  readonly sessions: Pick<Sessions, 'endAll' | 'deviceOf'>
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly memberships: Pick<Memberships, 'listOf'> | undefined
  readonly unconfirmedPasswords: UnconfirmedPasswords
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly notices: Notices
  /** The number of days to wait. With 0 nobody can start a wait. */
  readonly waitDays: number
}

/** Wrong codes are counted like wrong second factors. The code is not a proof for the sign-in; it only completes the wait. */
const codeMethod: AuthenticationMethod = { name: 'mail-code', amr: [], factors: ['knowledge'] }
const codeOf = (id: string, code: string) => `second-factor-recovery:${id}:${code}`

const notAvailable = () => recoveryErrors.error('SECOND_FACTOR_RECOVERY_NOT_AVAILABLE')
const notReady = () => recoveryErrors.error('SECOND_FACTOR_RECOVERY_NOT_READY')
const notFound = () => recoveryErrors.error('SECOND_FACTOR_RECOVERY_NOT_FOUND')
const tooMany = (retryAfterSeconds: number) => coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds })

const openRow = async ({ clock }: Deps, reader: Db, userId: string) => {
  const row = await store.findRecoveryOf(reader, userId)
  return row !== undefined && (row.endsAt === null || row.endsAt > clock.now()) ? row : undefined
}

const isRequired = async ({ instanceRoles, secondFactors, memberships }: Deps, reader: Db, user: User) =>
  user.secondFactorDue !== null ||
  instanceRoles.permissionsOfRoles(user.role).size > 0 ||
  (await secondFactors.isRequired(reader, user)) ||
  ((await memberships?.listOf(reader, user.id)) ?? []).some(({ requiresSecondFactor }) => requiresSecondFactor)

const mayWait = async (deps: Deps, reader: Db, user: User): Promise<boolean> =>
  deps.waitDays > 0 &&
  isAvailable({
    isOn: true,
    emailVerified: user.emailVerified,
    hasSecondFactor: user.secondFactorSince !== null,
    isRequired: await isRequired(deps, reader, user),
    isPasswordUnconfirmed: await deps.unconfirmedPasswords.has(reader, user.id),
  })

// True if the first factor of the sign-in was the password. Signing in with an identity provider or by mail may prove no more than access
// to the mailbox.
const isByPassword = ({ origin, proofs }: ContinuedAttempt) =>
  origin === 'pending' && proofs.some(({ method }) => method.name === 'password')

/** Opens the pending sign-in of a person who has given the correct password and who may start a wait. */
const openAttempt = async (deps: Deps, principal: Principal, pendingToken: string | undefined) => {
  const { db, attempts } = deps
  const attempt = await attempts.open(principal, pendingToken)
  if (!isByPassword(attempt) || !(await mayWait(deps, db, attempt.user))) throw notAvailable()
  return attempt
}

/** Locks the user of the attempt, and checks again that the user may start a wait. */
const requireAble = async (deps: Deps, tx: Tx, userId: string): Promise<User> => {
  const { users, attempts } = deps
  await lockRow(tx, 'user', userId)
  const user = await users.find(tx, userId)
  if (user === undefined) throw notAvailable()
  attempts.requireNotBanned(user)
  if (!(await mayWait(deps, tx, user))) throw notAvailable()
  return user
}

const shown = ({ waitDays }: Deps, { stage, readyAt, endsAt }: store.RecoveryRow): State => ({
  state: stage === 'ready' ? 'ready' : 'waiting',
  ...{ waitDays, readyAt, expiresAt: endsAt },
})

const endWait = (deps: Deps): Recovery['end'] => {
  const { clock, events } = deps
  return async (tx, actor, userId, reason) => {
    const row = await openRow(deps, tx, userId)
    if (row === undefined || !(await store.endRecovery(tx, row.id, clock.now()))) return false
    await events.record(tx, actor, recoveryEvents['recovery.cancelled'], { subject: userId, data: { reason } })
    return true
  }
}

const placeOf = ({ sessions }: Deps, { userAgent, address }: Principal) =>
  `${sessions.deviceOf(userAgent)}, ${address}`.slice(0, 255)

const stateOf = (deps: Deps): Recovery['state'] => {
  const { db, attempts, waitDays } = deps
  return async (principal, pendingToken) => {
    const attempt = await attempts.open(principal, pendingToken)
    const row = await openRow(deps, db, attempt.user.id)
    if (row !== undefined) return shown(deps, row)
    const isOpen = isByPassword(attempt) && (await mayWait(deps, db, attempt.user))
    return { state: isOpen ? 'available' : 'unavailable', waitDays, readyAt: null, expiresAt: null }
  }
}

const requestWait = (deps: Deps): Recovery['request'] => {
  const { transact, clock, random, events, attempts, notices, waitDays } = deps
  return async (principal, pendingToken) => {
    const attempt = await openAttempt(deps, principal, pendingToken)
    await attempts.limitNetwork('mails', principal)
    return transact(async (tx) => {
      const user = await requireAble(deps, tx, attempt.user.id)
      const former = await store.findRecoveryOf(tx, user.id)
      const now = clock.now()
      if (former !== undefined && (former.endsAt === null || former.endsAt > now)) return shown(deps, former)
      const againAt = (former?.requestedAt.getTime() ?? 0) + restartSeconds * 1000
      if (againAt > now.getTime()) throw tooMany(Math.ceil((againAt - now.getTime()) / 1000))
      const row: store.RecoveryRow = {
        ...{ id: random.id(), userId: user.id, stage: 'requested', requester: placeOf(deps, principal) },
        ...{ requestedAt: now, readyAt: clock.after(waitDays * 24 * hourSeconds), endsAt: null },
        ...{ codeHash: null, codeExpiresAt: null, codeAttempts: 0 },
      }
      await store.replaceRecovery(tx, row)
      // A wait must not start if its first notice to the owner cannot be mailed.
      if (!(await notices.start(tx, inLanguageOf(principal, user), row))) throw tooMany(hourSeconds)
      const data = { readyAt: row.readyAt.toISOString() }
      await events.record(tx, principal, recoveryEvents['recovery.requested'], { subject: user.id, data })
      return shown(deps, row)
    })
  }
}

const sendCode = (deps: Deps): Recovery['sendCode'] => {
  const { db, transact, clock, random, secrets, attempts, mail, accountMails, notices } = deps
  return async (principal, pendingToken) => {
    const { user } = await openAttempt(deps, principal, pendingToken)
    attempts.requireNotBanned(user)
    const row = await openRow(deps, db, user.id)
    if (row?.stage !== 'ready') throw notReady()
    await attempts.limitNetwork('mails', principal)
    const code = random.digits(6)
    const codeHash = secrets.sign('mailed-codes', codeOf(row.id, code))
    const requester = accountMails.requesterOf(principal)
    const recipient = inLanguageOf(principal, user)
    const link = notices.linkOf(row)
    const message = accountMails.recoveryCode(recipient, code, placeOf(deps, principal), link, codeSeconds, requester)
    await transact(async (tx) => {
      if (!(await store.setCode(tx, row.id, codeHash, clock.after(codeSeconds), clock.now()))) throw notReady()
      if (!(await mail.enqueue(tx, message))) throw tooMany(hourSeconds)
    })
  }
}

const completeRecovery = (deps: Deps): Recovery['complete'] => {
  const { db, transact, clock, secrets, events, users, sessions, attempts, secondFactors, notices } = deps
  return async (principal, pendingToken, code) => {
    const attempt = await openAttempt(deps, principal, pendingToken)
    const row = await openRow(deps, db, attempt.user.id)
    if (row?.stage !== 'ready') throw notReady()
    const { codeHash, codeExpiresAt } = row
    if (codeHash === null || codeExpiresAt === null || codeExpiresAt <= clock.now()) throw recoveryErrors.error('OTP_HAS_EXPIRED')
    const proven = await attempts.prove(attempt, codeMethod, async () => {
      if (!(await transact((tx) => store.countCodeAttempt(tx, row, mostCodeAttempts))))
        throw recoveryErrors.error('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
      return secrets.isSigned('mailed-codes', codeOf(row.id, code), codeHash, codeSeconds)
    })
    if (proven === undefined) throw recoveryErrors.error('INVALID_CODE')
    return transact(async (tx) => {
      const { id } = await requireAble(deps, tx, attempt.user.id)
      // If two requests use the code at the same time, only the first one succeeds. If one request completes the wait while another
      // cancels it, the first of them counts.
      if (!(await store.useRecovery(tx, row, clock.now()))) throw notReady()
      await secondFactors.removeAll(tx, principal, id)
      const user = await users.require(tx, id)
      const outcome = await attempts.conclude(tx, principal, attempt, user, attempt)
      await sessions.endAll(tx, principal, id, outcome.kind === 'session' ? outcome.started.session.id : undefined)
      await events.record(tx, principal, recoveryEvents['recovery.completed'], { subject: id, data: {} })
      await notices.completed(tx, inLanguageOf(principal, user), placeOf(deps, principal))
      return { user, outcome }
    })
  }
}

const cancelByLink = (deps: Deps, end: Recovery['end']): Recovery['cancelByLink'] => {
  const { db, transact, sessions, unconfirmedPasswords, notices } = deps
  return async (principal, token) => {
    const id = notices.idOf(token)
    const row = id === undefined ? undefined : await store.findRecovery(db, id)
    if (row === undefined) throw notFound()
    await transact(async (tx) => {
      await lockRow(tx, 'user', row.userId)
      const current = await openRow(deps, tx, row.userId)
      // The link of an earlier wait must not end the present wait.
      if (current?.id !== row.id || !(await end(tx, principal, row.userId, 'link'))) throw notFound()
      await unconfirmedPasswords.mark(tx, row.userId)
      await sessions.endAll(tx, principal, row.userId)
    })
  }
}

const recoveryOfUser = (deps: Deps): Recovery['ofUser'] => {
  const { db, managedUsers } = deps
  return async (userId) => {
    await managedUsers.get(userId)
    const row = await openRow(deps, db, userId)
    if (row === undefined) return null
    const { stage, requestedAt, requester: requestedFrom, readyAt, endsAt } = row
    const state = stage === 'ready' ? 'ready' : 'waiting'
    return { state, requestedAt, requestedFrom, readyAt, expiresAt: endsAt }
  }
}

export const createRecovery = (deps: Deps): Recovery => {
  const { transact, managedUsers, attempts } = deps
  const end = endWait(deps)

  return {
    state: stateOf(deps),
    request: requestWait(deps),
    sendCode: sendCode(deps),
    complete: completeRecovery(deps),

    cancel: async (principal, pendingToken) => {
      const { user } = await attempts.open(principal, pendingToken)
      if (!(await transact((tx) => end(tx, principal, user.id, 'person')))) throw notFound()
    },

    cancelByLink: cancelByLink(deps, end),
    ofUser: recoveryOfUser(deps),

    cancelOfUser: (principal, userId) =>
      transact(async (tx) => {
        await managedUsers.requireManageable(tx, principal, userId)
        if (!(await end(tx, principal, userId, 'administrator'))) throw notFound()
      }),

    end,
  }
}
