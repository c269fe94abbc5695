import type { z } from 'zod'
import { can } from '../../../access/can.ts'
import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { BrandService } from '../../../brand/index.ts'
import type { Core } from '../../../core/core.ts'
import { lockRow } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import { asUser } from '../../../core/events/record.ts'
import { hourSeconds } from '../../../core/time.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Attempts, AuthenticationMethod } from '../../attempts/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions, StartedSession } from '../../sessions/index.ts'
import type { BrowserMemory, RecoveryCodes } from '../recovery-codes/index.ts'
import type { TotpConfig } from './config.ts'
import type { EnableTwoFactor, VerifyTotp } from './contract.ts'
import { totpErrors } from './errors.ts'
import { totpEvents } from './events.ts'
import { keyUri, secretLength, secretOf, stepOf } from './rules.ts'
import * as store from './store.ts'

export const totpMethod: AuthenticationMethod = { name: 'totp', amr: ['otp'], factors: ['possession'] }

/** What authenticator app and recovery codes are made of, shown once. */
export interface NewApp {
  readonly uri: string
  readonly recoveryCodes: readonly string[]
}

/** Authenticator apps: one for each user. */
export interface Totp {
  /**
   * Makes a secret, which counts for nothing until `verify`, within an hour; one that was not proven is replaced. For a session with a recent proof or the
   * password, and for a pending sign-in that has to add a second factor. Throws TOTP_ALREADY_ENABLED, INVALID_TWO_FACTOR_COOKIE, UNAUTHORIZED, FORBIDDEN and what
   * `RequireProof` throws.
   */
  enable(principal: Principal, pendingToken: string | undefined, input: z.output<typeof EnableTwoFactor>): Promise<NewApp>
  /** The secret again, as the QR code says it. Throws TOTP_NOT_ENABLED and what `RequireProof` throws. */
  uri(principal: UserPrincipal, password: string | undefined): Promise<string>
  /**
   * Takes a code as proof of the pending sign-in with this token, else of the session of the call; the first one makes the app count. Throws
   * INVALID_TWO_FACTOR_COOKIE, TOTP_NOT_ENABLED, INVALID_CODE and what limits guessing.
   */
  verify(
    principal: Principal,
    pendingToken: string | undefined,
    input: z.output<typeof VerifyTotp>,
  ): Promise<{ readonly user: User; readonly started: StartedSession }>
  /**
   * Removes the app; a password alone signs in again, where nothing else is required. Throws THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED and what
   * `RequireProof` throws.
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

export const createTotp = (deps: Deps): Totp => {
  const { db, transact, clock, random, secrets, events, url, config } = deps
  const { users, attempts, secondFactors, recoveryCodes, sessions, requireProof, rememberedBrowsers } = deps
  const defaultIssuer = () => {
    const { name, isNamed } = deps.brand.current()
    return config.issuer ?? (isNamed ? name : new URL(url).hostname)
  }

  const secretIn = ({ id, secret }: Pick<store.TotpRow, 'id' | 'secret'>) => secrets.open(secret, store.contextOf(id))

  /** A secret that was made long ago was not meant for the code that comes now. */
  const isWaiting = ({ confirmedAt, createdAt }: store.TotpRow) => confirmedAt === null && createdAt > clock.after(-hourSeconds)

  /** Whose app it will be: of a sign-in that has to add a second factor, else of the session. */
  const enrolling = async (principal: Principal, pendingToken: string | undefined, password: string | undefined) => {
    if (pendingToken !== undefined) {
      const { origin, mustEnrol, user } = await attempts.open(principal, pendingToken)
      if (origin === 'pending' && mustEnrol) return { user, isPending: true }
    }
    if (principal.kind === 'anonymous') throw coreErrors.error('UNAUTHORIZED')
    if (principal.kind !== 'user' || !can(principal, 'identities:update')) throw coreErrors.error('FORBIDDEN')
    await requireProof(principal, 'add-authenticator', { password })
    return { user: principal.user, isPending: false }
  }

  return {
    enable: async (principal, pendingToken, { password, issuer = defaultIssuer() }) => {
      const { user, isPending } = await enrolling(principal, pendingToken, password)
      const secret = secretOf(random.bytes(secretLength))
      const id = random.id()
      const sealed = secrets.seal(secret, store.contextOf(id))
      const prepared = recoveryCodes.prepare(user.id)
      await transact(async (tx) => {
        await lockRow(tx, 'user', user.id)
        // Another browser was first: this sign-in has to prove what was added there.
        if (isPending && (await users.require(tx, user.id)).secondFactorSince !== null) throw coreErrors.error('UNAUTHORIZED')
        await store.deleteUnproven(tx, user.id)
        if ((await store.findTotp(tx, user.id)) !== undefined) throw totpErrors.error('TOTP_ALREADY_ENABLED')
        const waiting = { confirmedAt: null, lastStep: null, createdAt: clock.now(), sessionId: null }
        await store.insertTotp(tx, { id, userId: user.id, secret: sealed, issuer, ...waiting })
        await recoveryCodes.propose(tx, prepared)
      })
      return { uri: keyUri(secret, issuer, user.email), recoveryCodes: prepared.codes }
    },

    uri: async (principal, password) => {
      await requireProof(principal, 'show-authenticator', { password })
      const app = await store.findTotp(db, principal.user.id)
      if (app === undefined) throw totpErrors.error('TOTP_NOT_ENABLED')
      return keyUri(secretIn(app), app.issuer, principal.user.email)
    },

    verify: async (principal, pendingToken, { code, trustDevice = false }) => {
      const opened = await attempts.open(principal, pendingToken)
      const { id } = opened.user
      const app = await store.findTotp(db, id)
      const mayAdd = opened.origin === 'session' || opened.mustEnrol
      if (app === undefined || (app.confirmedAt === null && !(mayAdd && isWaiting(app))))
        throw totpErrors.error('TOTP_NOT_ENABLED')
      const secret = secretIn(app)
      const isNew = app.confirmedAt === null
      const isProofNew = isNew || (opened.sessionId !== undefined && opened.sessionId === app.sessionId)
      const method = isProofNew ? { ...totpMethod, isNew: true } : totpMethod
      let step: number | undefined
      const attempt = await attempts.prove(opened, method, async () => {
        step = stepOf(secret, code, clock.now(), app.lastStep)
        return step !== undefined
      })
      if (attempt === undefined || step === undefined) throw totpErrors.error('INVALID_CODE')
      const used = step
      return transact(async (tx) => {
        await lockRow(tx, 'user', id)
        if (isNew && opened.origin === 'pending' && (await users.require(tx, id)).secondFactorSince !== null)
          throw totpErrors.error('TOTP_NOT_ENABLED')
        // The first of two requests with one code.
        const isFirst = isNew ? store.confirm(tx, app.id, used, clock.now()) : store.claimStep(tx, app.id, used)
        if (!(await isFirst)) throw totpErrors.error('INVALID_CODE')
        const known = await users.require(tx, id)
        const outcome = await attempts.conclude(tx, principal, attempt, known, attempt)
        if (outcome.kind === 'pending') throw coreErrors.error('UNAUTHORIZED')
        const { started } = outcome
        if (trustDevice) await rememberedBrowsers?.remember(tx, principal, id)
        if (!isNew) return { user: known, started }
        await store.setSession(tx, app.id, started.session.id)
        const actor = asUser(principal, id, started.session.id)
        await events.record(tx, actor, totpEvents['totp.enabled'], { subject: id, data: {} })
        await recoveryCodes.activate(tx, actor, id)
        // After the session has started, which is the one that stays.
        await secondFactors.changed(tx, actor, id, 'on')
        return { user: await users.require(tx, id), started }
      })
    },

    disable: async (principal, password) => {
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
    },
  }
}
