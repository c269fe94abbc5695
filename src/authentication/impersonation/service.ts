import type { PermittedPrincipal, UserPrincipal } from '../../access/principal.ts'
import { administratorRole, includesRole } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import { afterCommit, lockRow, type Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { RoleDirectory } from '../../identity/roles/index.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { Sessions, StartedSession } from '../sessions/index.ts'
import type { ImpersonationConfig } from './contract.ts'
import { impersonationErrors, impersonationEvents } from './contract.ts'

export interface StartedImpersonation {
  readonly user: User
  readonly started: StartedSession
  /** The new token of the administrator's own session; undefined if that session keeps its token. */
  readonly ownToken: string | undefined
}

/** Lets an administrator act as a user, in order to see what the user sees (decision 0137). */
export interface Impersonation {
  /**
   * Starts a session in which the caller impersonates the user. The caller's own session gets a new token, except with `keepsToken`.
   * Throws USER_NOT_FOUND, YOU_CANNOT_IMPERSONATE_ADMINS, YOU_CANNOT_IMPERSONATE_YOURSELF, A_REASON_IS_REQUIRED and BANNED_USER. Throws
   * UNAUTHORIZED if the caller's session has ended, or if the caller has lost the role meanwhile.
   */
  start(
    principal: PermittedPrincipal,
    userId: string,
    reason: string | undefined,
    options: { readonly keepsToken: boolean },
  ): Promise<StartedImpersonation>
  /**
   * Ends the impersonated session of the caller. If `ownToken` belongs to a valid session of the administrator, that session gets a new
   * token and is returned. Otherwise returns undefined. Throws YOU_ARE_NOT_IMPERSONATING_ANYONE.
   */
  stop(principal: UserPrincipal, ownToken: string | undefined): Promise<UserPrincipal | undefined>
  /** Ends all impersonations by a user. Called when the user's roles change. */
  endAllBy(tx: Tx, userId: string): Promise<void>
}

interface Deps extends Pick<Core, 'transact' | 'clock' | 'events' | 'security'> {
  readonly users: Users
  readonly sessions: Sessions
  readonly attempts: Pick<Attempts, 'impersonate' | 'requireNotBanned'>
  readonly instanceRoles: Pick<RoleDirectory, 'coversRole' | 'permissionsOfRoles'>
  readonly config: ImpersonationConfig
}

export const createImpersonation = (deps: Deps): Impersonation => {
  const { transact, events, security, users, sessions, attempts, instanceRoles, config } = deps

  /**
   * Locks both users in a fixed order, and reads the user to impersonate. Throws if the caller's session has ended, or if the caller has
   * lost the permission.
   */
  const lockBoth = async (tx: Tx, principal: UserPrincipal, userId: string) => {
    for (const id of [principal.user.id, userId].sort()) await lockRow(tx, 'user', id)
    const caller = await users.find(tx, principal.user.id)
    const isAlive = (await sessions.ownerOf(tx, principal.session.id)) === principal.user.id
    const permissions = instanceRoles.permissionsOfRoles(caller?.role ?? '')
    if (!isAlive || !permissions.has('users:impersonate')) throw coreErrors.error('UNAUTHORIZED')
    return { user: await users.require(tx, userId, { status: 404 }), caller: { ...principal, permissions } }
  }

  return {
    start: async (principal, userId, given, { keepsToken }) => {
      // Only a person in a session can impersonate, because the impersonation ends in that session.
      if (principal.kind !== 'user') throw coreErrors.error('FORBIDDEN')
      const reason = given?.trim() || principal.reason || null
      if (reason === null && config.impersonationNeedsReason) throw impersonationErrors.error('A_REASON_IS_REQUIRED')
      if (userId === principal.user.id) throw impersonationErrors.error('YOU_CANNOT_IMPERSONATE_YOURSELF')
      return transact(async (tx) => {
        const { user, caller } = await lockBoth(tx, principal, userId)
        if (includesRole(user.role, administratorRole) || !instanceRoles.coversRole(caller, user.role))
          throw impersonationErrors.error('YOU_CANNOT_IMPERSONATE_ADMINS')
        attempts.requireNotBanned(user)
        const { id: sessionId, expiresAt: sessionExpiresAt } = principal.session
        const impersonator = { userId: principal.user.id, sessionId, sessionExpiresAt }
        const started = await attempts.impersonate(tx, principal, user.id, impersonator, config.impersonationSeconds)
        const ownToken = keepsToken ? undefined : await sessions.replaceToken(tx, principal.session)
        const { id, expiresAt } = started.session
        const data = { sessionId: id, reason, expiresAt: expiresAt.toISOString() }
        await events.record(tx, principal, impersonationEvents['user.impersonation_started'], { subject: user.id, reason, data })
        afterCommit(tx, () => security(principal, 'impersonation.started', { userId: user.id, by: principal.user.id }))
        return { user, started, ownToken }
      })
    },
    stop: async (principal, ownToken) => {
      const { session, user } = principal
      if (session.impersonatedBy === null) throw impersonationErrors.error('YOU_ARE_NOT_IMPERSONATING_ANYONE')
      const own = ownToken === undefined ? undefined : await sessions.authenticate(ownToken, principal, { extend: false })
      const isOwn = own?.principal.user.id === session.impersonatedBy && own.principal.session.impersonatedBy === null
      return transact(async (tx) => {
        await sessions.end(tx, principal, session)
        const data = { sessionId: session.id }
        await events.record(tx, principal, impersonationEvents['user.impersonation_ended'], { subject: user.id, data })
        if (own === undefined || !isOwn) return undefined
        const token = await sessions.replaceToken(tx, own.principal.session)
        return token === undefined ? undefined : { ...own.principal, session: { ...own.principal.session, token } }
      })
    },
    endAllBy: sessions.endImpersonationsBy,
  }
}
