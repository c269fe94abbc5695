import { can } from '../../access/can.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { User, UserAdministration } from '../users/index.ts'
import { permissionsOf } from './client-permissions.ts'
import { administrationContract } from './contract.ts'
import { administrationDocumentation } from './documentation.ts'
import type { Administration } from './service.ts'

export const administrationRoutes = (administration: Administration, { view }: Pick<UserAdministration, 'view'>) => {
  const shown = (user: User) => ({ user: view(user) })
  return bind(documented(administrationContract, administrationDocumentation), {
    createUser: async (principal, { body }) => shown(await administration.create(principal, body)),
    setRole: async (principal, { body }) => shown(await administration.setRole(principal, body.userId, body.role)),
    setUserPassword: async (principal, { body }) => {
      await administration.setPassword(principal, body.userId, body.newPassword)
      return { status: true }
    },
    banUser: async (principal, { body: { userId, banReason, banExpiresIn } }) =>
      shown(await administration.ban(principal, userId, banReason, banExpiresIn || undefined)),
    unbanUser: async (principal, { body }) => shown(await administration.unban(principal, body.userId)),
    removeUser: async (principal, { body }) => {
      await administration.remove(principal, body.userId)
      return { success: true }
    },
    adminDeleteUser: async (principal, { params, ifMatch }) => {
      await administration.remove(principal, params.id, (user) => ifMatch(view(user)))
      return { success: true }
    },
    listUserSessions: async (principal, { body }) => {
      const sessions = await administration.listSessions(principal, body.userId)
      const ownId = principal.kind === 'user' ? principal.session.id : undefined
      return { sessions: sessions.map((one) => ({ ...one, token: one.id, current: one.id === ownId })) }
    },
    revokeUserSession: async (principal, { body }) => {
      await administration.endSession(principal, body.sessionToken)
      return { success: true }
    },
    revokeUserSessions: async (principal, { body }) => {
      await administration.endSessions(principal, body.userId)
      return { success: true }
    },
    hasInstancePermission: async (principal, { body }) => {
      const asked = permissionsOf(body.permissions ?? body.permission ?? {})
      return { error: null, success: asked?.every((permission) => can(principal, permission)) ?? false }
    },
  })
}
