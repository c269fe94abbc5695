import type { Caller, CallerSession, Source, UserCaller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { sha256 } from '../core/crypto.ts'
import { afterCommit, type Db, lockRow, type Transact, type Tx } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import { coreErrors } from '../core/errors.ts'
import type { SecurityLog } from '../core/security-log.ts'
import { sweep } from '../core/sweep.ts'
import type { UserFields } from '../users/index.ts'
import type { SessionsConfig } from './config.ts'
import { devices } from './devices.ts'
import { sessionErrors } from './errors.ts'
import { changeByUse, deviceOf } from './rules.ts'
import * as store from './store.ts'

/** Asked inside the transaction in which sessions end, so that what hangs on them ends with them. */
export type SessionEnded = (tx: Tx, sessionIds: readonly string[]) => Promise<void>

/** Asked inside the transaction in which all sessions of a user end, `keptSessionId` excepted: what applications hold ends with them. */
export type AllSessionsEnded = (tx: Tx, userId: string, keptSessionId?: string) => Promise<void>

/** Told inside the transaction of a sign-in from a browser or program that the user has not used before. */
export type NewDevice = (tx: Tx, session: CallerSession, device: string, caller: Caller) => Promise<void>

/** A session just begun. `token` is shown once; only its hash is stored. */
export interface StartedSession {
  readonly token: string
  readonly session: CallerSession
  /** Life of the cookie in seconds; undefined: until the browser closes. */
  readonly cookieSeconds: number | undefined
}

/** A session in a list: without its token. */
export interface ListedSession extends Omit<CallerSession, 'token'> {
  readonly device: string
}

export interface StartOptions {
  readonly rememberMe: boolean
  /** The password was given for it, or chosen. */
  readonly byPassword?: boolean
}

export interface Sessions {
  /**
   * Begins a session. A token sent before is worthless: the caller's session ends, or, when it is the same user's, begins anew with what
   * hangs on it, for an application that asks for a newer sign-in must not end the tokens of the others.
   */
  start(tx: Tx, caller: Caller, userId: string, options: StartOptions): Promise<StartedSession>
  /** The session of a token with its user, extended when it is due; undefined when unknown or expired. One read. */
  authenticate(token: string, source: Source, options: { readonly extend: boolean }): Promise<Authenticated | undefined>
  /** The live sessions of a user, last used first. */
  list(userId: string): Promise<readonly ListedSession[]>
  /** Ends one of the caller's sessions, named by id or token; returns its id. Throws SESSION_NOT_FOUND, and UNAUTHORIZED for another's. */
  revoke(caller: UserCaller, idOrToken: string): Promise<string>
  /** Ends one session. False when it was gone already. */
  end(tx: Tx, id: string): Promise<boolean>
  /**
   * Ends all sessions of a user and all that applications hold in their name, also what outlives a session; with `exceptId` all but that
   * session and what was authorized in it.
   */
  endAll(tx: Tx, userId: string, exceptId?: string): Promise<void>
  /**
   * The session acts for an organization, and a team of it, or for none. Whoever asks has locked the user's membership in this transaction.
   * False when the session is gone.
   */
  setActive(tx: Tx, sessionId: string, organizationId: string | null, teamId: string | null): Promise<boolean>
  /** The same for a team alone: the caller's place in it is locked. False when the session acts for another organization by now. */
  setActiveTeam(tx: Tx, sessionId: string, organizationId: string, teamId: string | null): Promise<boolean>
  /** Sessions that act for an organization (of one user, where named) act for none any more; with a team: for that team no more. */
  clearActive(tx: Tx, scope: store.ActiveScope): Promise<void>
  /** The user of a live session, or undefined. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /** When the password was last given in a session; undefined: never, or the session is gone. */
  passwordAt(db: Db, sessionId: string): Promise<Date | undefined>
  /** True when this browser has signed in to this account before. */
  isKnownDevice(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Notes the browser and the place of a caller as the user's, without a sign-in. */
  rememberDevice(tx: Tx, userId: string, caller: Caller): Promise<void>
  /** Forgets the browsers of a user: whoever used them before is a stranger again. */
  forgetDevices(tx: Tx, userId: string): Promise<void>
  /** Ends expired sessions in small batches; forgets devices not seen for 400 days, when their cookie has ended too. */
  sweep(stop?: AbortSignal): Promise<void>
}

export interface Authenticated {
  readonly caller: UserCaller
  /** Set when the session was extended: the cookie's new lifetime in seconds. */
  readonly renewedSeconds?: number
}

export interface SessionsDeps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly security: SecurityLog
  readonly config: SessionsConfig
  readonly readFields: UserFields['read']
  /** Asked whenever sessions end. */
  readonly onEnded: readonly SessionEnded[]
  /** Asked when all sessions of a user end. */
  readonly onAllEnded: readonly AllSessionsEnded[]
  /** Told of sign-ins from somewhere new. */
  readonly onNewDevice: readonly NewDevice[]
}

const deviceSeconds = 34_560_000

export const createSessions = ({
  db,
  transact,
  clock,
  entropy,
  security,
  config,
  readFields,
  onEnded,
  onAllEnded,
  onNewDevice,
}: SessionsDeps): Sessions => {
  const tellEnded = async (tx: Tx, ids: readonly string[]) => {
    if (ids.length > 0) for (const tell of onEnded) await tell(tx, ids)
  }

  const end = async (tx: Tx, id: string) => {
    const ended = await store.deleteSession(tx, id)
    if (ended) await tellEnded(tx, [id])
    return ended
  }

  return {
    end,
    endAll: async (tx, userId, exceptId) => {
      // A refresh under way holds the row while it writes: it is over, or it will find nothing.
      await lockRow(tx, 'user', userId)
      await tellEnded(tx, await store.deleteByUser(tx, userId, exceptId))
      for (const tell of onAllEnded) await tell(tx, userId, exceptId)
    },
    start: async (tx, caller, userId, { rememberMe, byPassword = false }) => {
      const before = caller.kind === 'user' ? caller.session : undefined
      if (before !== undefined && before.userId !== userId) await end(tx, before.id)
      const token = entropy.token(32)
      const now = clock.now()
      const seconds = rememberMe
        ? Math.min(config.expiresInSeconds, config.absoluteExpiresInSeconds)
        : config.shortExpiresInSeconds
      const begun = {
        userId,
        expiresAt: clock.after(seconds),
        createdAt: now,
        updatedAt: now,
        ipAddress: caller.address,
        userAgent: caller.userAgent,
        rememberMe,
      }
      const secret = { tokenHash: sha256(token), passwordAt: byPassword ? now : null }
      const isAgain =
        before?.userId === userId && (await store.renew(tx, before.id, sha256(before.token), { ...begun, ...secret }))
      const session = {
        ...begun,
        id: isAgain ? before.id : entropy.id(),
        activeOrganizationId: isAgain ? before.activeOrganizationId : null,
        activeTeamId: isAgain ? before.activeTeamId : null,
      }
      if (!isAgain) await store.insertSession(tx, { ...session, ...secret })
      if (await devices.remember(tx, userId, caller, now))
        for (const tell of onNewDevice) await tell(tx, { ...session, token }, deviceOf(session.userAgent), caller)
      afterCommit(tx, () => security(caller, 'session.started', { userId, sessionId: session.id }))
      return { token, session: { ...session, token }, cookieSeconds: rememberMe ? seconds : undefined }
    },
    authenticate: async (token, source, { extend }) => {
      const found = await store.findByTokenHash(db, sha256(token))
      const now = clock.now()
      if (found === undefined || found.session.expiresAt <= now) return undefined
      const { session } = found
      const user = { ...found.user, fields: readFields(found.user.fields) }
      const use = extend ? changeByUse(session, now, config) : undefined
      const isNoted =
        use !== undefined && (await transact((tx) => store.extend(tx, session.id, session.updatedAt, use.expiresAt, now)))
      const current = isNoted ? { ...session, expiresAt: use.expiresAt, updatedAt: now } : session
      const caller: UserCaller = { kind: 'user', ...source, user, session: { ...current, token } }
      return isNoted && use.extended
        ? { caller, renewedSeconds: Math.round((use.expiresAt.getTime() - now.getTime()) / 1000) }
        : { caller }
    },
    list: async (userId) => {
      const rows = await store.listByUser(db, userId, clock.now())
      return rows.map(({ tokenHash: _, passwordAt: __, ...session }) => ({ ...session, device: deviceOf(session.userAgent) }))
    },
    revoke: (caller, idOrToken) =>
      transact(async (tx) => {
        const session = await store.findByIdOrTokenHash(tx, idOrToken, sha256(idOrToken))
        if (session !== undefined && session.userId !== caller.user.id) throw coreErrors.refuse('UNAUTHORIZED')
        if (session === undefined || session.expiresAt <= clock.now() || !(await end(tx, session.id)))
          throw sessionErrors.refuse('SESSION_NOT_FOUND')
        return session.id
      }),
    setActive: store.setActive,
    setActiveTeam: store.setActiveTeam,
    clearActive: async (tx, scope) => void (await store.clearActive(tx, scope)),
    ownerOf: async (reader, sessionId) => {
      const session = await store.findSession(reader, sessionId)
      return session !== undefined && session.expiresAt > clock.now() ? session.userId : undefined
    },
    passwordAt: async (reader, sessionId) => (await store.findSession(reader, sessionId))?.passwordAt ?? undefined,
    isKnownDevice: devices.isKnown,
    rememberDevice: async (tx, userId, caller) => void (await devices.remember(tx, userId, caller, clock.now())),
    forgetDevices: devices.forget,
    sweep: async (stop) => {
      await sweep(transact, (tx, limit) => store.deleteOldDevices(tx, clock.after(-deviceSeconds), limit), stop)
      const endExpired = async (tx: Tx, limit: number) => {
        const ids = await store.deleteExpired(tx, clock.now(), limit)
        await tellEnded(tx, ids)
        return ids.length
      }
      await sweep(transact, endExpired, stop)
    },
  }
}
