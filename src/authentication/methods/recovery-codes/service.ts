import type { z } from 'zod'
import type { Principal, UserPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { Core } from '../../../core/core.ts'
import { hmacSha256 } from '../../../core/crypto.ts'
import { type Db, lockRow, type Tx } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import { type Actor, asUser } from '../../../core/events/record.ts'
import { inLanguageOf } from '../../../core/language.ts'
import type { OwnedFactor } from '../../../core/second-factors.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts, AuthenticationMethod } from '../../attempts/index.ts'
import type { Sessions, StartedSession } from '../../sessions/index.ts'
import type { AccountMails } from '../../verification/index.ts'
import { recoveryCodeErrors, recoveryCodeEvents, type VerifyBackupCode } from './contract.ts'
import { codeCount, codeFrom, codeLength, fewCodes, normalCode } from './rules.ts'
import * as store from './store.ts'

/** A recovery code as a proof. RFC 8176 defines no `amr` value for it. */
export const recoveryCodeMethod: AuthenticationMethod = { name: 'recovery-code', amr: [], factors: ['possession'] }

/** A new list of codes that is not stored yet. The codes are shown only once. */
export interface PreparedCodes {
  readonly codes: readonly string[]
  readonly list: Omit<store.ListRow, 'isActive'>
  readonly hashes: readonly string[]
}

export interface RecoveryCodes {
  /** Makes a list of codes. The codes are invalid until `propose` and `activate` were called. */
  prepare(userId: string): PreparedCodes
  /**
   * Stores a new list of codes. The codes become valid when the user proves the new second factor for the first time. The caller has
   * locked the row of the user.
   */
  propose(tx: Tx, prepared: PreparedCodes): Promise<void>
  /** Makes the proposed list valid in place of the earlier list. Does nothing if no list was proposed. */
  activate(tx: Tx, actor: Actor, userId: string): Promise<void>
  /** The number of unused codes, and the time at which the list was created; undefined if the user has no list. */
  state(db: Db, userId: string): Promise<{ readonly left: number; readonly since: Date } | undefined>
  /** The user's valid list as operators see it: id, times and the number of unused codes, without the codes themselves. */
  list(db: Db, userId: string): Promise<readonly OwnedFactor[]>
  /** True if the user has an unused code. */
  isEnrolled(db: Db, userId: string): Promise<boolean>
  removeAll(tx: Tx, userId: string): Promise<void>
}

/** The functions that calls of the API use. */
export interface RecoveryCodeCalls {
  /** Makes new codes for a person who has just proven their identity. Throws TWO_FACTOR_NOT_ENABLED and the errors of `RequireProof`. */
  generate(principal: UserPrincipal, password: string | undefined): Promise<readonly string[]>
  /**
   * Uses a code as a proof in the pending sign-in with this token, or in the caller's session. Throws UNAUTHORIZED,
   * BACKUP_CODES_NOT_ENABLED, INVALID_BACKUP_CODE and the errors of throttling.
   */
  verify(
    principal: Principal,
    pendingToken: string | undefined,
    input: z.output<typeof VerifyBackupCode>,
  ): Promise<{ readonly user: User; readonly left: number; readonly started: StartedSession | undefined }>
}

/** The functions about remembered browsers that second factors need. */
export interface BrowserMemory {
  /** Remembers the caller's browser. The user is not asked for a second factor in it for a while. */
  remember(tx: Tx, principal: Principal, userId: string): Promise<void>
  /** The remembered browsers of the caller. */
  list(principal: UserPrincipal): Promise<readonly unknown[]>
  /** Forgets all remembered browsers of a user. */
  forgetAll(tx: Tx, actor: Actor, userId: string): Promise<void>
}

interface Deps extends Core {
  readonly users: Users
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly attempts: Attempts
  readonly requireProof: RequireProof
  /** Undefined if remembering browsers is disabled. */
  readonly rememberedBrowsers?: BrowserMemory
}

const keyBytes = 32

export const createRecoveryCodes = (deps: Deps): RecoveryCodes & RecoveryCodeCalls => {
  const { db, transact, clock, random, secrets, events, users, mail, accountMails, attempts } = deps
  const { sessions, requireProof, rememberedBrowsers } = deps

  const prepare: RecoveryCodes['prepare'] = (userId) => {
    const id = random.id()
    const key = random.bytes(keyBytes)
    const hash = hmacSha256(key)
    const codes = new Set<string>()
    while (codes.size < codeCount) codes.add(codeFrom(random.bytes(codeLength)))
    const sealedKey = secrets.seal(key.toString('base64'), store.contextOf(id))
    const hashes = [...codes].map((code) => hash(normalCode(code)))
    return { codes: [...codes], list: { id, userId, key: sealedKey, createdAt: clock.now() }, hashes }
  }

  const hashIn = ({ id, key }: Pick<store.ListRow, 'id' | 'key'>, code: string) =>
    hmacSha256(Buffer.from(secrets.open(key, store.contextOf(id)), 'base64'))(normalCode(code))

  const recordNew = (tx: Tx, actor: Actor, userId: string) =>
    events.record(tx, actor, recoveryCodeEvents['recovery_codes.generated'], { subject: userId, data: {} })

  const state: RecoveryCodes['state'] = async (reader, userId) => {
    const list = await store.findActive(reader, userId)
    return list && { left: await store.countUnused(reader, list.id), since: list.createdAt }
  }

  return {
    prepare,
    propose: (tx, { list, hashes }) => store.replaceList(tx, { ...list, isActive: false }, hashes),
    activate: async (tx, actor, userId) => {
      if (await store.activate(tx, userId)) await recordNew(tx, actor, userId)
    },
    state,
    list: async (reader, userId) => {
      const active = await store.findActive(reader, userId)
      if (active === undefined) return []
      const { id, createdAt } = active
      const { left, lastUsedAt } = await store.readUse(reader, id)
      return [{ id, name: null, createdAt, lastUsedAt, left }]
    },
    isEnrolled: async (reader, userId) => ((await state(reader, userId))?.left ?? 0) > 0,
    removeAll: async (tx, userId) => void (await store.deleteLists(tx, userId)),

    generate: async (principal, password) => {
      const { id } = principal.user
      await requireProof(principal, 'make-recovery-codes', { password })
      const prepared = prepare(id)
      await transact(async (tx) => {
        await sessions.requireAlive(tx, principal)
        // Recovery codes replace another second factor. A user without another second factor cannot have them.
        if ((await users.require(tx, id)).secondFactorSince === null) throw recoveryCodeErrors.error('TWO_FACTOR_NOT_ENABLED')
        await store.replaceList(tx, { ...prepared.list, isActive: true }, prepared.hashes)
        await recordNew(tx, principal, id)
      })
      return prepared.codes
    },

    verify: async (principal, pendingToken, { code, disableSession = false, trustDevice = false }) => {
      const opened = await attempts.open(principal, pendingToken)
      const { user } = opened
      const list = await store.findActive(db, user.id)
      if (list === undefined) throw recoveryCodeErrors.error('BACKUP_CODES_NOT_ENABLED')
      const hash = hashIn(list, code)
      // The session may be the one in which the code was made. The code is therefore treated as a new factor, and counts only together
      // with a password.
      const method = opened.origin === 'session' ? { ...recoveryCodeMethod, isNew: true } : recoveryCodeMethod
      const attempt = await attempts.prove(opened, method, () => store.isUnused(db, list.id, hash))
      if (attempt === undefined) throw recoveryCodeErrors.error('INVALID_BACKUP_CODE')
      return transact(async (tx) => {
        await lockRow(tx, 'user', user.id)
        // If two requests use the same code, only the first one succeeds.
        if (!(await store.claimCode(tx, list.id, hash, clock.now()))) throw recoveryCodeErrors.error('INVALID_BACKUP_CODE')
        const left = await store.countUnused(tx, list.id)
        const current = await users.require(tx, user.id)
        if (disableSession) await attempts.succeed(tx, attempt)
        const outcome = disableSession ? undefined : await attempts.conclude(tx, principal, attempt, current, attempt)
        if (outcome?.kind === 'pending') throw coreErrors.error('UNAUTHORIZED')
        const started = outcome?.started
        if (started !== undefined && trustDevice) await rememberedBrowsers?.remember(tx, principal, user.id)
        const actor = started === undefined ? principal : asUser(principal, user.id, started.session.id)
        await events.record(tx, actor, recoveryCodeEvents['recovery_code.used'], { subject: user.id, data: { left } })
        if (left <= fewCodes) await mail.enqueue(tx, accountMails.fewCodes(inLanguageOf(principal, current), left))
        return { user: current, left, started }
      })
    },
  }
}
