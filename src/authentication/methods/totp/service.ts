import { generateURI, ScureBase32Plugin, verifySync } from 'otplib'
import type { z } from 'zod'
import { can } from '../../../access/can.ts'
import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { BrandService } from '../../../brand/index.ts'
import type { Core } from '../../../core/core.ts'
import { lockRow, type Tx } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import { asUser } from '../../../core/events/record.ts'
import { hourSeconds } from '../../../core/time.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Attempts, AuthenticationMethod, ContinuedAttempt } from '../../attempts/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions, StartedSession } from '../../sessions/index.ts'
import type { BrowserMemory, RecoveryCodes } from '../recovery-codes/index.ts'
import type { TotpConfig } from './contract.ts'
import { type EnableTwoFactor, type ReplaceApp, totpErrors, totpEvents, type VerifyTotp } from './contract.ts'
import * as store from './store.ts'

/** Seconds for which a code is valid. Every authenticator app supports SHA-1, 6 digits and 30 seconds (RFC 6238). */
const stepSeconds = 30
/** The time at which a time step starts. It is about the time at which the code of that step was used. */
export const timeOfStep = (step: number): Date => new Date(step * stepSeconds * 1000)

/** The number of bytes of a secret. It equals the length of the hash (RFC 4226, section 4). */
export const secretLength = 20

const base32 = new ScureBase32Plugin()

/** The secret as text that people can type: 32 letters and digits. */
export const secretOf = (bytes: Uint8Array): string => base32.encode(bytes, { padding: false })

/**
 * The largest length of the issuer in the Key URI. The issuer appears twice in the URI, and the QR code must stay readable even if the
 * public URL is long.
 */
const longestIssuer = 240

/**
 * The issuer in the form that a Key URI requires. Colons are removed, because a colon ends the issuer. A long issuer is cut between two
 * characters.
 */
const issuerOf = (name: string): string => {
  const plain = name
    .split(':')
    .map((part) => part.trim())
    .join(' ')
    .trim()
  const cut = [...new Intl.Segmenter().segment(plain)].map(({ segment }) => segment)
  while (encodeURIComponent(cut.join('')).length > longestIssuer) cut.pop()
  return cut.join('').trim() || 'gatehouse'
}

/** The Key URI, which is the content of the QR code: `otpauth://totp/<issuer>:<account>?secret=…&issuer=…`. */
export const keyUri = (secret: string, issuer: string, account: string): string =>
  generateURI({ secret, issuer: issuerOf(issuer), label: account, algorithm: 'sha1', digits: 6, period: stepSeconds })

/**
 * Returns the time step of a correct code. The code may belong to the step at `now`, or to the step before or after. Undefined for a
 * wrong code. Undefined also if the step is not later than `lastStep`, the step of the last used code. Blanks in the code are ignored.
 */
export const stepOf = (secret: string, code: string, now: Date, lastStep: number | null): number | undefined => {
  const token = code.replaceAll(/\s/g, '')
  const epoch = Math.floor(now.getTime() / 1000)
  // If a clock was set back, `lastStep` may be later than now. The library would throw, so the code is refused before.
  if (!/^\d{6}$/.test(token) || (lastStep ?? 0) > Math.floor(epoch / stepSeconds)) return undefined
  const after = lastStep === null ? {} : { afterTimeStep: lastStep }
  const result = verifySync({ secret, token, epoch, epochTolerance: stepSeconds, period: stepSeconds, ...after })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

export const totpMethod: AuthenticationMethod = { name: 'totp', amr: ['otp'], factors: ['possession'] }

/** The secret of an authenticator app and the recovery codes. Both are shown only once. */
export interface NewApp {
  readonly uri: string
  readonly recoveryCodes: readonly string[]
}

/** Manages authenticator apps. A user has at most one. */
export interface Totp {
  /**
   * Makes the secret of a new app. The secret becomes valid when `verify` accepts a code within an hour. An earlier secret that never
   * became valid is replaced. The caller needs a session with a recent proof or the password, or a pending sign-in that has to add a
   * second factor. Throws TOTP_ALREADY_ENABLED, INVALID_TWO_FACTOR_COOKIE, UNAUTHORIZED, FORBIDDEN and the errors of `RequireProof`.
   */
  enable(principal: Principal, pendingToken: string | undefined, input: z.output<typeof EnableTwoFactor>): Promise<NewApp>
  /**
   * Makes the secret of an app that will replace the present app. The new app replaces it when `confirmReplacement` accepts a code,
   * within an hour and in this session. Throws TOTP_NOT_ENABLED and the errors of `RequireProof`. Throws UNAUTHORIZED if the session has
   * ended meanwhile.
   */
  replace(principal: UserPrincipal, input: z.output<typeof ReplaceApp>): Promise<string>
  /**
   * Accepts the first code of the new app, and removes the present app. Throws TOTP_NOT_ENABLED, INVALID_CODE, INVALID_TWO_FACTOR_COOKIE
   * and the errors of throttling.
   */
  confirmReplacement(principal: UserPrincipal, code: string): Promise<{ readonly user: User; readonly started: StartedSession }>
  /** Returns the Key URI with the secret of the present app. Throws TOTP_NOT_ENABLED, UNAUTHORIZED and the errors of `RequireProof`. */
  uri(principal: UserPrincipal, password: string | undefined): Promise<string>
  /**
   * Accepts a code as a proof in the pending sign-in with this token, or in the caller's session. The first code of an app makes its
   * secret valid. Throws INVALID_TWO_FACTOR_COOKIE, TOTP_NOT_ENABLED, INVALID_CODE and the errors of throttling.
   */
  verify(
    principal: Principal,
    pendingToken: string | undefined,
    input: z.output<typeof VerifyTotp>,
  ): Promise<{ readonly user: User; readonly started: StartedSession }>
  /**
   * Removes the app. The password alone is then enough to sign in, unless another second factor is left. Throws
   * THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED and the errors of `RequireProof`.
   */
  disable(principal: UserPrincipal, password: string | undefined): Promise<void>
}

interface Deps extends Core {
  readonly brand: BrandService
  readonly config: TotpConfig
  readonly users: Users
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly recoveryCodes: RecoveryCodes
  readonly requireProof: RequireProof
  readonly rememberedBrowsers?: BrowserMemory
}

const defaultIssuer = (deps: Deps) => {
  const { url, config } = deps
  const { name, isNamed } = deps.brand.current()
  return config.issuer ?? (isNamed ? name : new URL(url).hostname)
}

const secretIn = ({ secrets }: Deps, { id, secret }: Pick<store.TotpRow, 'id' | 'secret'>) =>
  secrets.open(secret, store.contextOf(id))

const newApp = (deps: Deps, userId: string, issuer = defaultIssuer(deps)) => {
  const { clock, random, secrets } = deps
  const secret = secretOf(random.bytes(secretLength))
  const id = random.id()
  const sealed = secrets.seal(secret, store.contextOf(id))
  const row = { id, userId, secret: sealed, issuer, confirmedAt: null, lastStep: null, createdAt: clock.now() }
  return { row, uriFor: (email: string) => keyUri(secret, issuer, email) }
}

/**
 * Checks a code. Returns the attempt with the code as a proof, and the time step of the code. Throws INVALID_CODE and the errors of
 * throttling.
 */
const proveCode = async (deps: Deps, opened: ContinuedAttempt, app: store.TotpRow, code: string, isNew: boolean) => {
  const { clock, attempts } = deps
  const secret = secretIn(deps, app)
  let step: number | undefined
  const attempt = await attempts.prove(opened, isNew ? { ...totpMethod, isNew } : totpMethod, async () => {
    step = stepOf(secret, code, clock.now(), app.lastStep)
    return step !== undefined
  })
  if (attempt === undefined || step === undefined) throw totpErrors.error('INVALID_CODE')
  return { attempt, step }
}

/** Continues the attempt with its new proof. Throws UNAUTHORIZED if the proofs are still not enough for a session. */
const conclude = async ({ users, attempts }: Deps, tx: Tx, principal: Principal, attempt: ContinuedAttempt) => {
  const user = await users.require(tx, attempt.user.id)
  const outcome = await attempts.conclude(tx, principal, attempt, user, attempt)
  if (outcome.kind === 'pending') throw coreErrors.error('UNAUTHORIZED')
  return { user, started: outcome.started }
}

/** True if the app has accepted no code yet and its secret is not older than an hour. */
const isWaiting = ({ clock }: Deps, { confirmedAt, createdAt }: store.TotpRow) =>
  confirmedAt === null && createdAt > clock.after(-hourSeconds)

/** Finds the owner of the new app: the user of a pending sign-in that has to add a second factor, or the user of the session. */
const enrolling = async (
  { attempts, requireProof }: Deps,
  principal: Principal,
  pendingToken: string | undefined,
  password: string | undefined,
) => {
  if (pendingToken !== undefined) {
    const { origin, mustEnrol, user } = await attempts.open(principal, pendingToken)
    if (origin === 'pending' && mustEnrol) return { user, isPending: true }
  }
  if (principal.kind === 'anonymous') throw coreErrors.error('UNAUTHORIZED')
  if (principal.kind !== 'user' || !can(principal, 'identities:update')) throw coreErrors.error('FORBIDDEN')
  await requireProof(principal, 'add-authenticator', { password })
  return { user: principal.user, isPending: false }
}

const enableApp = (deps: Deps): Totp['enable'] => {
  const { transact, users, recoveryCodes } = deps
  return async (principal, pendingToken, { password, issuer }) => {
    const { user, isPending } = await enrolling(deps, principal, pendingToken, password)
    const { row, uriFor } = newApp(deps, user.id, issuer)
    const prepared = recoveryCodes.prepare(user.id)
    await transact(async (tx) => {
      await lockRow(tx, 'user', user.id)
      // Another browser may have added a second factor meanwhile. This sign-in then has to prove that factor.
      if (isPending && (await users.require(tx, user.id)).secondFactorSince !== null) throw coreErrors.error('UNAUTHORIZED')
      await store.deleteUnproven(tx, user.id)
      if ((await store.findTotp(tx, user.id)) !== undefined) throw totpErrors.error('TOTP_ALREADY_ENABLED')
      await store.insertTotp(tx, { ...row, sessionId: null })
      await recoveryCodes.propose(tx, prepared)
    })
    return { uri: uriFor(user.email), recoveryCodes: prepared.codes }
  }
}

const replaceApp = (deps: Deps): Totp['replace'] => {
  const { transact, sessions, requireProof } = deps
  return async (principal, { password, issuer }) => {
    const { user, session } = principal
    await requireProof(principal, 'replace-authenticator', { password })
    const { row, uriFor } = newApp(deps, user.id, issuer)
    await transact(async (tx) => {
      await sessions.requireAlive(tx, principal)
      if ((await store.findTotp(tx, user.id))?.confirmedAt == null) throw totpErrors.error('TOTP_NOT_ENABLED')
      await store.deleteUnproven(tx, user.id)
      await store.insertTotp(tx, { ...row, sessionId: session.id })
    })
    return uriFor(user.email)
  }
}

const confirmReplacement = (deps: Deps): Totp['confirmReplacement'] => {
  const { db, transact, clock, events, attempts, rememberedBrowsers } = deps
  return async (principal, code) => {
    const { id } = principal.user
    const opened = await attempts.open(principal, undefined)
    const app = await store.findUnproven(db, id)
    // Only the session that requested the secret can have seen it, so only that session may confirm it.
    if (app === undefined || !isWaiting(deps, app) || app.sessionId !== principal.session.id)
      throw totpErrors.error('TOTP_NOT_ENABLED')
    const { attempt, step } = await proveCode(deps, opened, app, code, true)
    return transact(async (tx) => {
      await lockRow(tx, 'user', id)
      // The app that is to be replaced may have been removed meanwhile.
      if (!(await store.deleteProven(tx, id))) throw totpErrors.error('TOTP_NOT_ENABLED')
      if (!(await store.confirm(tx, app.id, step, clock.now()))) throw totpErrors.error('INVALID_CODE')
      const { user, started } = await conclude(deps, tx, principal, attempt)
      const actor = asUser(principal, id, started.session.id)
      await events.record(tx, actor, totpEvents['totp.replaced'], { subject: id, data: {} })
      await rememberedBrowsers?.forgetAll(tx, actor, id)
      return { user, started }
    })
  }
}

const showApp = (deps: Deps): Totp['uri'] => {
  const { db, transact, events, sessions, requireProof } = deps
  return async (principal, password) => {
    const { id } = principal.user
    await requireProof(principal, 'show-authenticator', { password })
    const app = await store.findTotp(db, id)
    if (app === undefined) throw totpErrors.error('TOTP_NOT_ENABLED')
    // Whoever sees the secret can generate codes, so the owner gets a notice.
    if (app.confirmedAt !== null)
      await transact(async (tx) => {
        await sessions.requireAlive(tx, principal)
        await events.record(tx, principal, totpEvents['totp.shown'], { subject: id, data: {} })
      })
    return keyUri(secretIn(deps, app), app.issuer, principal.user.email)
  }
}

const verifyCode = (deps: Deps): Totp['verify'] => {
  const { db, transact, clock, events, users, attempts, secondFactors, recoveryCodes, rememberedBrowsers } = deps
  return async (principal, pendingToken, { code, trustDevice = false }) => {
    const opened = await attempts.open(principal, pendingToken)
    const { id } = opened.user
    const app = await store.findTotp(db, id)
    const mayAdd = opened.origin === 'session' || opened.mustEnrol
    if (app === undefined || (app.confirmedAt === null && !(mayAdd && isWaiting(deps, app))))
      throw totpErrors.error('TOTP_NOT_ENABLED')
    const isNew = app.confirmedAt === null
    const isProofNew = isNew || (opened.sessionId !== undefined && opened.sessionId === app.sessionId)
    const { attempt, step } = await proveCode(deps, opened, app, code, isProofNew)
    return transact(async (tx) => {
      await lockRow(tx, 'user', id)
      if (isNew && opened.origin === 'pending' && (await users.require(tx, id)).secondFactorSince !== null)
        throw totpErrors.error('TOTP_NOT_ENABLED')
      // If two requests use the same code, only the first one succeeds.
      const isFirst = isNew ? store.confirm(tx, app.id, step, clock.now()) : store.claimStep(tx, app.id, step)
      if (!(await isFirst)) throw totpErrors.error('INVALID_CODE')
      const { user, started } = await conclude(deps, tx, principal, attempt)
      if (trustDevice) await rememberedBrowsers?.remember(tx, principal, id)
      if (!isNew) return { user, started }
      await store.setSession(tx, app.id, started.session.id)
      const actor = asUser(principal, id, started.session.id)
      await events.record(tx, actor, totpEvents['totp.enabled'], { subject: id, data: {} })
      await recoveryCodes.activate(tx, actor, id)
      // `changed` ends sessions of the user. It is called after the new session has started, and spares that session.
      await secondFactors.changed(tx, actor, id, 'on')
      return { user: await users.require(tx, id), started }
    })
  }
}

const disableApp =
  ({ transact, events, users, secondFactors, sessions, requireProof }: Deps): Totp['disable'] =>
  async (principal, password) => {
    const { id } = principal.user
    await requireProof(principal, 'remove-authenticator', { password })
    await transact(async (tx) => {
      await sessions.requireAlive(tx, principal)
      const app = await store.findTotp(tx, id)
      await store.deleteTotp(tx, id)
      const isRemoved = app !== undefined && app.confirmedAt !== null
      if (isRemoved) await events.record(tx, principal, totpEvents['totp.disabled'], { subject: id, data: {} })
      if (isRemoved || (await users.require(tx, id)).twoFactorEnabled) await secondFactors.changed(tx, principal, id, 'off')
    })
  }

export const createTotp = (deps: Deps): Totp => {
  return {
    enable: enableApp(deps),
    replace: replaceApp(deps),
    confirmReplacement: confirmReplacement(deps),
    uri: showApp(deps),
    verify: verifyCode(deps),
    disable: disableApp(deps),
  }
}
