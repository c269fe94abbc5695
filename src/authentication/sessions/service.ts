import { isBanned } from '../../access/ban.ts'
import type { CurrentSession, Principal, UserPrincipal } from '../../access/principal.ts'
import { defaultRole, type InstanceRoles } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { afterCommit, type Db, lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { type Actor, asUser } from '../../core/events/record.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { type Retention, retentionOfRows, sweepAll } from '../../core/retention.ts'
import type { UserFields } from '../../identity/users/index.ts'
import type { SessionsConfig } from './config.ts'
import { devices } from './devices.ts'
import { sessionErrors } from './errors.ts'
import { sessionEvents } from './events.ts'
import { changeByUse, deviceOf, isLackingSecondFactor } from './rules.ts'
import * as store from './store.ts'

/** A session that has just started. `token` is returned only here; its hash is stored. */
export interface StartedSession {
  readonly token: string
  readonly session: CurrentSession
  /** Life of the cookie in seconds; undefined: until the browser closes. */
  readonly cookieSeconds: number | undefined
}

/** A session in a list: without its token. */
export interface ListedSession extends Omit<CurrentSession, 'token' | 'lacksSecondFactor'> {
  readonly device: string
}

/** How the user of a session was authenticated (decision 0124). */
export interface Authentication {
  /** Values of RFC 8176, section 2. */
  readonly amr: readonly string[]
  /** Authentication context class: how strong the proofs are together. */
  readonly acr: string
  /** The methods that succeeded, with the time of each proof. */
  readonly proofs: readonly store.StoredProof[]
}

/** The same of a sign-in now. */
interface NewAuthentication extends Authentication {
  /** Kinds of factors that were counted. */
  readonly factors: number
  /** When the last proof was given that is enough for sensitive changes. */
  readonly provenAt: Date | null
}

interface StartOptions {
  /** False: the session ends with the browser. */
  readonly rememberMe: boolean
  readonly authentication: NewAuthentication
}

/** An administrator who acts as a user. */
export interface Impersonator {
  readonly userId: string
  readonly sessionId: string
  /** What the impersonation ends with at the latest. */
  readonly sessionExpiresAt: Date
}

/** Starts sessions. Only `authentication/attempts` has it: it checks that the proofs are enough. */
export interface SessionStarter {
  /**
   * Starts a session. The session that the request came with ends; one of the same user is renewed under its id with a new token, so that a
   * new sign-in for one application does not end the tokens of the others.
   */
  start(tx: Tx, principal: Principal, userId: string, options: StartOptions): Promise<StartedSession>
  /**
   * Starts a session in which another acts as the user, for at most `seconds`; it is never extended and ends with the session of the
   * impersonator, which goes on beside it. The browser does not become known to the user.
   */
  startImpersonation(
    tx: Tx,
    context: RequestContext,
    userId: string,
    impersonator: Impersonator,
    options: { readonly seconds: number; readonly acr: string },
  ): Promise<StartedSession>
}

export interface Sessions {
  /** The session of a token with its user, extended when it is due; undefined when unknown or expired. One read. */
  authenticate(token: string, context: RequestContext, options: { readonly extend: boolean }): Promise<Authenticated | undefined>
  /** The same with how the session was authenticated, for those who tell others. One read, too. */
  authenticateFully(token: string, context: RequestContext): Promise<FullyAuthenticated | undefined>
  /** The live sessions of a user, last used first. Those in which somebody impersonates them only where `withImpersonations`. */
  list(userId: string, options?: { readonly withImpersonations: boolean }): Promise<readonly ListedSession[]>
  /** Ends one of the caller's sessions, named by id or token; returns its id. Throws SESSION_NOT_FOUND, and UNAUTHORIZED for another's. */
  revoke(principal: UserPrincipal, idOrToken: string): Promise<string>
  /** Ends all sessions in which the user impersonates somebody. */
  endImpersonationsBy(tx: Tx, userId: string): Promise<void>
  /** Gives a session of the caller's another token; undefined when it has ended. The one sent before is worthless. */
  replaceToken(tx: Tx, session: Pick<CurrentSession, 'id' | 'token'>): Promise<string | undefined>
  /** A live session of anybody by its id or token. Throws SESSION_NOT_FOUND. */
  require(db: Db, idOrToken: string): Promise<Omit<CurrentSession, 'token' | 'lacksSecondFactor'>>
  /** Ends one session. False when it had ended already. */
  end(tx: Tx, actor: Actor, session: Pick<CurrentSession, 'id' | 'userId'>): Promise<boolean>
  /**
   * Ends all sessions of a user and all that applications hold in their name, also what outlives a session; with `exceptId` all but that
   * session and what was authorized in it.
   */
  endAll(tx: Tx, actor: Actor, userId: string, exceptId?: string): Promise<void>
  /**
   * Sets the active organization and team of a session, or none. The caller has locked the user's membership in this transaction. False when
   * the session has ended.
   */
  setActive(tx: Tx, sessionId: string, organizationId: string | null, teamId: string | null): Promise<boolean>
  /** Sets the active team alone; the caller has locked the team membership. False when another organization is active by now. */
  setActiveTeam(tx: Tx, sessionId: string, organizationId: string, teamId: string | null): Promise<boolean>
  /** Clears the active organization, or with `teamId` the active team, of all sessions in the scope. */
  clearActive(tx: Tx, scope: store.ActiveScope): Promise<void>
  /** The same for all sessions of one factor that act for an organization: it requires two from now on, and is locked. */
  clearActiveOfOneFactor(tx: Tx, organizationId: string): Promise<void>
  /** The user of a live session, or undefined. */
  ownerOf(db: Db, sessionId: string): Promise<string | undefined>
  /** How a session was authenticated; undefined when it has ended. For changes that need a recent proof. */
  authenticationOf(db: Db, sessionId: string): Promise<Authentication | undefined>
  /** The browser or program of a user agent as a person would say it: "Firefox on Linux". */
  deviceOf(userAgent: string): string
  /** True for a user whose ban is younger than any cached session. Known from memory, a moment after the ban (`recentBans`). */
  isRecentlyBanned(userId: string): boolean
  /** True when this browser has signed in to this account before. */
  isKnownDevice(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Records the caller's browser and network as known to the user, without a sign-in. */
  rememberDevice(tx: Tx, userId: string, principal: Principal): Promise<void>
  /** Deletes the known browsers of a user: they are untrusted clients again. */
  forgetDevices(tx: Tx, userId: string): Promise<void>
  /** Of expired sessions, and of devices not seen for 400 days, the life of their cookie. */
  readonly retentions: readonly Retention[]
  /** Sweeps both. */
  sweep(stop?: AbortSignal): Promise<void>
}

export interface Authenticated {
  readonly principal: UserPrincipal
  /** Set when the session was extended: the cookie's new lifetime in seconds. */
  readonly renewedSeconds?: number
}

export interface FullyAuthenticated extends Authenticated {
  readonly authentication: Authentication
}

export interface SessionsDeps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'security' | 'events'> {
  readonly config: SessionsConfig
  readonly readFields: UserFields['read']
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
  readonly isRecentlyBanned: Sessions['isRecentlyBanned']
}

/** A session without what only the database needs. */
const shown = ({ tokenHash: _, impersonatorSessionId: __, ...session }: store.SessionRow) => session

const deviceSeconds = 34_560_000

export const createSessions = ({
  db,
  transact,
  clock,
  random,
  security,
  config,
  readFields,
  instanceRoles,
  isRecentlyBanned,
  events,
}: SessionsDeps): Sessions & SessionStarter => {
  const retentions = [
    retentionOfRows({ db, transact }, 'known browsers', 'that were not seen for 400 days', () =>
      store.devicesBefore(clock.after(-deviceSeconds)),
    ),
    retentionOfRows({ db, transact }, 'sessions', 'that have expired', () => store.expiredSessions(clock.now())),
  ]
  const end: Sessions['end'] = async (tx, actor, { id: sessionId, userId }) => {
    if (!(await store.deleteSession(tx, sessionId))) return false
    await events.record(tx, actor, sessionEvents['session.ended'], { subject: userId, data: { sessionId } })
    return true
  }

  /** What a session that was found gives its caller; undefined when it does not count. */
  const use = async (
    found: { readonly session: store.SessionRow; readonly user: store.Owner } | undefined,
    token: string,
    context: RequestContext,
    extend: boolean,
  ): Promise<Authenticated | undefined> => {
    const now = clock.now()
    if (found === undefined || found.session.expiresAt <= now) return undefined
    const { session } = found
    const { bannedAt, banExpiresAt, secondFactorSince, secondFactorDue, ...owner } = found.user
    if (isBanned({ bannedAt, banExpiresAt }, now)) return undefined
    const user = { ...owner, fields: readFields(owner.fields) }
    const change = extend ? changeByUse(session, now, config) : undefined
    const isExtended =
      change !== undefined && (await transact((tx) => store.extend(tx, session.id, session.updatedAt, change.expiresAt, now)))
    const hasRole = owner.role !== defaultRole && session.impersonatedBy === null
    const lacksSecondFactor = hasRole && isLackingSecondFactor(found.user, session, now)
    const current = {
      ...shown(session),
      lacksSecondFactor,
      ...(isExtended ? { expiresAt: change.expiresAt, updatedAt: now } : {}),
    }
    const impersonation = session.impersonatedBy === null ? {} : { impersonatorId: session.impersonatedBy }
    // Whoever acts as somebody else does so in their account alone.
    const isLimited = session.impersonatedBy !== null || lacksSecondFactor
    const permissions = instanceRoles.permissionsOfRoles(isLimited ? defaultRole : user.role)
    const principal: UserPrincipal = {
      kind: 'user',
      ...context,
      ...impersonation,
      user,
      session: { ...current, token },
      permissions,
    }
    return isExtended && change.extended
      ? { principal, renewedSeconds: Math.round((change.expiresAt.getTime() - now.getTime()) / 1000) }
      : { principal }
  }

  return {
    end,
    endAll: async (tx, actor, userId, exceptId) => {
      // A token refresh holds this lock while it writes: it has committed, or it will find no session.
      await lockRow(tx, 'user', userId)
      await store.deleteByUser(tx, userId, exceptId)
      const data = exceptId === undefined ? {} : { keptSessionId: exceptId }
      await events.record(tx, actor, sessionEvents['user.sessions_ended'], { subject: userId, data })
    },
    start: async (tx, principal, userId, { rememberMe, authentication }) => {
      const before = principal.kind === 'user' ? principal.session : undefined
      if (before !== undefined && (before.userId !== userId || before.impersonatedBy !== null)) await end(tx, principal, before)
      const token = random.token(32)
      const now = clock.now()
      const seconds = rememberMe
        ? Math.min(config.expiresInSeconds, config.absoluteExpiresInSeconds)
        : config.shortExpiresInSeconds
      const started = {
        userId,
        expiresAt: clock.after(seconds),
        createdAt: now,
        updatedAt: now,
        ipAddress: principal.address,
        userAgent: principal.userAgent,
        rememberMe,
      }
      const { amr, acr, proofs, factors, provenAt } = authentication
      const stored = {
        tokenHash: sha256(token),
        amr,
        acr,
        proofs,
        factors,
        provenAt,
        impersonatedBy: null,
        impersonatorSessionId: null,
      }
      const isRenewal =
        before?.userId === userId &&
        before.impersonatedBy === null &&
        (await store.renew(tx, before.id, sha256(before.token), { ...started, ...stored }))
      const session = {
        ...started,
        id: isRenewal ? before.id : random.id(),
        activeOrganizationId: isRenewal ? before.activeOrganizationId : null,
        activeTeamId: isRenewal ? before.activeTeamId : null,
        impersonatedBy: null,
        ...{ factors, provenAt },
      }
      if (!isRenewal) await store.insertSession(tx, { ...session, ...stored })
      const isNewDevice = await devices.remember(tx, userId, principal, now)
      await events.record(tx, asUser(principal, userId, session.id), sessionEvents['session.started'], {
        subject: userId,
        data: { sessionId: session.id, amr: [...amr], acr, device: deviceOf(session.userAgent), isNewDevice, isRenewal },
      })
      afterCommit(tx, () => security(principal, 'session.started', { userId, sessionId: session.id }))
      return { token, session: { ...session, token, lacksSecondFactor: false }, cookieSeconds: rememberMe ? seconds : undefined }
    },
    startImpersonation: async (tx, { address, userAgent }, userId, impersonator, { seconds, acr }) => {
      const token = random.token(32)
      const now = clock.now()
      const end = Math.min(clock.after(seconds).getTime(), impersonator.sessionExpiresAt.getTime())
      const session = {
        ...{ id: random.id(), userId, expiresAt: new Date(end), createdAt: now, updatedAt: now },
        ...{ ipAddress: address, userAgent, rememberMe: false, activeOrganizationId: null, activeTeamId: null },
        impersonatedBy: impersonator.userId,
        ...{ factors: 0, provenAt: null },
      }
      const stored = { tokenHash: sha256(token), amr: [], acr, proofs: [], impersonatorSessionId: impersonator.sessionId }
      await store.insertSession(tx, { ...session, ...stored })
      return {
        token,
        session: { ...session, token, lacksSecondFactor: false },
        cookieSeconds: Math.ceil((end - now.getTime()) / 1000),
      }
    },
    endImpersonationsBy: async (tx, userId) => void (await store.deleteImpersonationsBy(tx, userId)),
    replaceToken: async (tx, { id, token }) => {
      const next = random.token(32)
      return (await store.replaceToken(tx, id, sha256(token), sha256(next))) ? next : undefined
    },
    require: async (reader, idOrToken) => {
      const row = await store.findByIdOrTokenHash(reader, idOrToken, sha256(idOrToken))
      if (row === undefined || row.expiresAt <= clock.now()) throw sessionErrors.error('SESSION_NOT_FOUND')
      return shown(row)
    },
    authenticate: async (token, context, { extend }) =>
      use(await store.findByTokenHash(db, sha256(token)), token, context, extend),
    authenticateFully: async (token, context) => {
      const found = await store.findByTokenHashWithAuthentication(db, sha256(token))
      const authenticated = await use(found, token, context, true)
      return found && authenticated && { ...authenticated, authentication: found.authentication }
    },
    list: async (userId, { withImpersonations } = { withImpersonations: false }) => {
      const rows = await store.listByUser(db, userId, clock.now(), withImpersonations)
      return rows.map((row) => ({ ...shown(row), device: deviceOf(row.userAgent) }))
    },
    revoke: (principal, idOrToken) =>
      transact(async (tx) => {
        const session = await store.findByIdOrTokenHash(tx, idOrToken, sha256(idOrToken))
        if (session !== undefined && session.userId !== principal.user.id) throw coreErrors.error('UNAUTHORIZED')
        if (session === undefined || session.expiresAt <= clock.now() || !(await end(tx, principal, session)))
          throw sessionErrors.error('SESSION_NOT_FOUND')
        return session.id
      }),
    setActive: store.setActive,
    setActiveTeam: store.setActiveTeam,
    clearActive: async (tx, scope) => void (await store.clearActive(tx, scope)),
    clearActiveOfOneFactor: store.clearActiveOfOneFactor,
    ownerOf: async (reader, sessionId) => {
      const session = await store.findSession(reader, sessionId)
      return session !== undefined && session.expiresAt > clock.now() ? session.userId : undefined
    },
    authenticationOf: async (reader, sessionId) => {
      const row = await store.findAuthentication(reader, sessionId)
      return row && { amr: row.amr, acr: row.acr, proofs: row.proofs }
    },
    deviceOf,
    isRecentlyBanned,
    isKnownDevice: devices.isKnown,
    rememberDevice: async (tx, userId, principal) => void (await devices.remember(tx, userId, principal, clock.now())),
    forgetDevices: devices.forget,
    retentions,
    sweep: sweepAll(retentions),
  }
}
