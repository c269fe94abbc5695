import { isBanned } from '../../access/ban.ts'
import { isLackingSecondFactor } from '../../access/lacking-factor.ts'
import type { UserPrincipal } from '../../access/principal.ts'
import { defaultRole, type InstanceRoles } from '../../access/roles.ts'
import { acrValues, restsOnMailbox } from '../../core/authentication-classes.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { createBatchedRead } from '../../core/db/batch.ts'
import { afterCommit, lockRow } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { asUser } from '../../core/events/record.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { retentionOfRows, sweepAll } from '../../core/retention.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Tally } from '../../statistics/index.ts'
import type { SessionsConfig } from './contract.ts'
import { sessionErrors, sessionEvents } from './contract.ts'
import { devices } from './devices.ts'
import { changeByUse, deviceOf } from './rules.ts'
import * as store from './store.ts'
import type { Authenticated, SessionStarter, Sessions } from './types.ts'

export interface SessionsDeps extends Pick<Core, 'db' | 'transact' | 'single' | 'clock' | 'random' | 'security' | 'events'> {
  readonly config: SessionsConfig
  readonly readFields: Users['fieldsOf']
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
  readonly isRecentlyBanned: Sessions['isRecentlyBanned']
  readonly tally?: Tally | undefined
}

/** The session without columns that only the database needs. */
const shown = ({ tokenHash: _, impersonatorSessionId: __, ...session }: store.SessionRow) => session

const deviceSeconds = 34_560_000

/** The number of users whose sessions are read with one statement. */
const atOnce = 500

const endSession =
  ({ events }: SessionsDeps): Sessions['end'] =>
  async (tx, actor, { id: sessionId, userId }) => {
    if (!(await store.deleteSession(tx, sessionId))) return false
    await events.record(tx, actor, sessionEvents['session.ended'], { subject: userId, data: { sessionId } })
    return true
  }

/** The principal of a stored session; undefined if the session is not valid any more. */
const useSession = async (
  { single, clock, config, readFields, instanceRoles, tally }: SessionsDeps,
  found: store.FoundSession | undefined,
  token: string,
  context: RequestContext,
  { extend, isUse = true }: { readonly extend: boolean; readonly isUse?: boolean },
): Promise<Authenticated | undefined> => {
  const now = clock.now()
  if (found === undefined || found.session.expiresAt <= now) return undefined
  const { session } = found
  const { bannedAt, banExpiresAt, secondFactorSince, secondFactorDue, displayUsername: _, ...owner } = found.user
  if (isBanned({ bannedAt, banExpiresAt }, now)) return undefined
  const user = { ...owner, fields: readFields(found.user) }
  const change = extend ? changeByUse(session, now, config) : undefined
  const isExtended =
    change !== undefined && (await single((tx) => store.extend(tx, session.id, session.updatedAt, change.expiresAt, now)))
  if (isUse && session.impersonatedBy === null) tally?.active(user.id)
  const hasRole = owner.role !== defaultRole && session.impersonatedBy === null
  const lacksSecondFactor = hasRole && isLackingSecondFactor(found.user, session, now)
  const current = {
    ...shown(session),
    lacksSecondFactor,
    ...(isExtended ? { expiresAt: change.expiresAt, updatedAt: now } : {}),
  }
  const impersonation = session.impersonatedBy === null ? {} : { impersonatorId: session.impersonatedBy }
  // An impersonated session gives access only to the user's own account.
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

const ownerOfSession =
  ({ clock }: SessionsDeps): Sessions['ownerOf'] =>
  async (reader, sessionId) => {
    const session = await store.findSession(reader, sessionId)
    return session !== undefined && session.expiresAt > clock.now() ? session.userId : undefined
  }

const endAllSessions =
  ({ events }: SessionsDeps): Sessions['endAll'] =>
  async (tx, actor, userId, exceptId) => {
    // A simultaneous refresh of tokens holds this lock while it writes. It has either committed before, or it will find that the session
    // has ended.
    await lockRow(tx, 'user', userId)
    await store.deleteByUser(tx, userId, exceptId)
    const data = exceptId === undefined ? {} : { keptSessionId: exceptId }
    await events.record(tx, actor, sessionEvents['user.sessions_ended'], { subject: userId, data })
  }

const startSession =
  ({ clock, random, security, config, events }: SessionsDeps, end: Sessions['end']): SessionStarter['start'] =>
  async (tx, principal, userId, { rememberMe, authentication }) => {
    const before = principal.kind === 'user' ? principal.session : undefined
    if (before !== undefined && (before.userId !== userId || before.impersonatedBy !== null)) await end(tx, principal, before)
    const token = random.token(32)
    const now = clock.now()
    const seconds = rememberMe ? Math.min(config.expiresInSeconds, config.absoluteExpiresInSeconds) : config.shortExpiresInSeconds
    const started = {
      userId,
      expiresAt: clock.after(seconds),
      createdAt: now,
      updatedAt: now,
      ipAddress: principal.address,
      userAgent: principal.userAgent,
      rememberMe,
    }
    const { amr, acr, proofs, factors, provenAt, isRemembered } = authentication
    const provider = proofs.findLast((proof) => proof.provider !== undefined)?.provider
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
      data: {
        ...{ sessionId: session.id, amr: [...amr], acr, device: deviceOf(session.userAgent), isNewDevice, isRenewal },
        ...(isRemembered ? { isRemembered } : {}),
        ...(provider === undefined ? {} : { provider }),
        ...(proofs[0] === undefined ? {} : { method: proofs[0].method }),
      },
    })
    afterCommit(tx, () => security(principal, 'session.started', { userId, sessionId: session.id }))
    return { token, session: { ...session, token, lacksSecondFactor: false }, cookieSeconds: rememberMe ? seconds : undefined }
  }

const startImpersonation =
  ({ clock, random }: SessionsDeps): SessionStarter['startImpersonation'] =>
  async (tx, { address, userAgent }, userId, impersonator, { seconds, acr }) => {
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
  }

const revokeSession =
  ({ transact, clock }: SessionsDeps, end: Sessions['end']): Sessions['revoke'] =>
  (principal, idOrToken) =>
    transact(async (tx) => {
      const session = await store.findByIdOrTokenHash(tx, idOrToken, sha256(idOrToken))
      if (session !== undefined && session.userId !== principal.user.id) throw coreErrors.error('UNAUTHORIZED')
      if (session === undefined || session.expiresAt <= clock.now() || !(await end(tx, principal, session)))
        throw sessionErrors.error('SESSION_NOT_FOUND')
      return session.id
    })

const discountMailboxes: Sessions['discountMailboxes'] = async (tx, userIds) => {
  for (let from = 0; from < userIds.length; from += atOnce)
    for (const session of await store.listOfTwoFactors(tx, userIds.slice(from, from + atOnce), acrValues[0])) {
      const isDiscounted = ({ method: name, factors = [] }: store.StoredProof) =>
        restsOnMailbox({ name, factors }) && factors.includes('possession')
      if (!session.proofs.some(isDiscounted)) continue
      const proofs = session.proofs.map((proof) => (isDiscounted(proof) ? { ...proof, factors: ['knowledge'] } : proof))
      await store.setProofs(tx, session, proofs, 1)
    }
}

const requireAlive =
  (ownerOf: Sessions['ownerOf']): Sessions['requireAlive'] =>
  async (tx, principal) => {
    if (principal.kind !== 'user') return
    const { user, session } = principal
    await lockRow(tx, 'user', user.id)
    if ((await ownerOf(tx, session.id)) !== user.id) throw coreErrors.error('UNAUTHORIZED')
  }

const lockOwner =
  ({ clock }: SessionsDeps): Sessions['lockOwner'] =>
  async (tx, { id, token }) => {
    await lockRow(tx, 'session', id)
    const session = await store.findSession(tx, id)
    const isCurrent = session !== undefined && session.tokenHash === sha256(token) && session.expiresAt > clock.now()
    return isCurrent ? session.userId : undefined
  }

export const createSessions = (deps: SessionsDeps): Sessions & SessionStarter => {
  const { db, transact, clock, random, isRecentlyBanned } = deps
  const find = createBatchedRead((tokenHashes) => store.findByTokenHashes(db, tokenHashes))
  const retentions = [
    retentionOfRows({ db, transact }, 'known browsers', 'that were not seen for 400 days', () =>
      store.devicesBefore(clock.after(-deviceSeconds)),
    ),
    retentionOfRows({ db, transact }, 'sessions', 'that have expired', () => store.expiredSessions(clock.now())),
  ]
  const end = endSession(deps)
  const ownerOf = ownerOfSession(deps)

  return {
    end,
    endAll: endAllSessions(deps),
    start: startSession(deps, end),
    startImpersonation: startImpersonation(deps),
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
    ofId: async (id, context) => {
      const row = await store.findSession(db, id)
      const found = row === undefined ? undefined : await find(row.tokenHash)
      return (await useSession(deps, found, '', context, { extend: false }))?.principal
    },
    authenticate: async (token, context, options) => useSession(deps, await find(sha256(token)), token, context, options),
    authenticateFully: async (token, context) => {
      const found = await store.findByTokenHashWithAuthentication(db, sha256(token))
      const authenticated = await useSession(deps, found, token, context, { extend: true })
      return found && authenticated && { ...authenticated, authentication: found.authentication }
    },
    list: async (userId, { withImpersonations } = { withImpersonations: false }) => {
      const rows = await store.listByUser(db, userId, clock.now(), withImpersonations)
      return rows.map((row) => ({ ...shown(row), device: deviceOf(row.userAgent) }))
    },
    revoke: revokeSession(deps, end),
    setActive: store.setActive,
    setActiveTeam: store.setActiveTeam,
    clearActive: async (tx, scope) => void (await store.clearActive(tx, scope)),
    clearActiveOfOneFactor: store.clearActiveOfOneFactor,
    discountMailboxes: discountMailboxes,
    ownerOf,
    requireAlive: requireAlive(ownerOf),
    lockOwner: lockOwner(deps),
    authenticationOf: async (reader, sessionId) => {
      const row = await store.findAuthentication(reader, sessionId)
      return row && { amr: row.amr, acr: row.acr, proofs: row.proofs }
    },
    deviceOf,
    placeOf: ({ userAgent, address }) => [deviceOf(userAgent), address].filter((part) => part !== '').join(', '),
    isRecentlyBanned,
    isKnownDevice: devices.isKnown,
    deviceKeyOf: devices.keyOf,
    rememberDevice: async (tx, userId, principal) => void (await devices.remember(tx, userId, principal, clock.now())),
    forgetDevices: devices.forget,
    retentions,
    sweep: sweepAll(retentions),
  }
}
