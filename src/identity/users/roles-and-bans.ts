/** Roles and their permissions, bans, and the protection of the last administrator. */
import { isBanned } from '../../access/ban.ts'
import { isInstancePermission } from '../../access/permissions.ts'
import type { RequireAlive } from '../../access/principal.ts'
import { administratorRole, includesRole } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import { afterCommit, lockRow } from '../../core/db/database.ts'
import type { RoleDirectory } from '../roles/index.ts'
import { userErrors, userEvents } from './contract.ts'
import type { Users } from './service.ts'
import * as store from './store.ts'

interface ConfirmDeps extends Pick<Core, 'clock'> {
  readonly requireAlive: RequireAlive
  readonly instanceRoles: RoleDirectory
}

type RecordDeps = Pick<Core, 'clock' | 'events' | 'security'>

export const createRequireOtherAdministrator =
  ({ clock }: Pick<Core, 'clock'>): Users['requireOtherAdministrator'] =>
  async (tx, id) => {
    await lockRow(tx, 'user', id)
    const row = await store.findUser(tx, id)
    if (row === undefined || !includesRole(row.role, administratorRole)) return
    await store.lockRoles(tx)
    if (!(await store.hasOtherAdministrator(tx, id, clock.now())))
      throw userErrors.error('THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED')
  }

export const createConfirmPermissions =
  ({ clock, instanceRoles, requireAlive }: ConfirmDeps): Users['confirmPermissions'] =>
  async (tx, principal) => {
    await requireAlive(tx, principal)
    await store.lockRoles(tx)
    if (!('user' in principal)) return true
    const row = await store.findUser(tx, principal.user.id)
    if (row === undefined || isBanned(row, clock.now())) return false
    const left = instanceRoles.permissionsOfRoles(row.role)
    return [...principal.permissions].filter(isInstancePermission).every((permission) => left.has(permission))
  }

export const setRole =
  ({ clock, events, security }: RecordDeps): Users['setRole'] =>
  async (tx, actor, { id, role: from }, to) => {
    await store.setRole(tx, id, to, clock.now())
    await events.record(tx, actor, userEvents['user.role_changed'], { subject: id, data: { from, to } })
    afterCommit(tx, () => security(actor, 'role.changed', { userId: id, role: to }))
  }

export const banUser =
  ({ clock, events, security }: RecordDeps, requireOtherAdministrator: Users['requireOtherAdministrator']): Users['ban'] =>
  async (tx, actor, id, { reason, expiresAt }) => {
    await requireOtherAdministrator(tx, id)
    await store.setBan(tx, id, { bannedAt: clock.now(), banReason: reason, banExpiresAt: expiresAt })
    const data = { reason, expiresAt: expiresAt?.toISOString() ?? null }
    await events.record(tx, actor, userEvents['user.banned'], { subject: id, data })
    afterCommit(tx, () => security(actor, 'user.banned', { userId: id }))
  }

export const unbanUser =
  ({ events }: Pick<Core, 'events'>): Users['unban'] =>
  async (tx, actor, id) => {
    if (!(await store.clearBan(tx, id))) return false
    await events.record(tx, actor, userEvents['user.unbanned'], { subject: id, data: {} })
    return true
  }
