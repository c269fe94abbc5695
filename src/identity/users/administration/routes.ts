import { can } from '../../../access/can.ts'
import { type Permission, permissions } from '../../../access/permissions.ts'
import type { RecoveryLink } from '../../../authentication/methods/password/index.ts'
import { AppError } from '../../../core/errors.ts'
import { anyState } from '../../../core/etag.ts'
import { bind, documented } from '../../../http/handlers.ts'
import { userErrors } from '../contract.ts'
import type { ManagedUsers } from '../managed.ts'
import type { User } from '../service.ts'
import type { UserActions } from './actions.ts'
import { listAsBetterAuth } from './better-auth.ts'
import { administrationContract, administrationDocumentation } from './contract/actions.ts'
import { userAdministrationContract } from './contract/users.ts'
import type { UserAdministration } from './service.ts'

/**
 * The permissions that Better Auth's admin client can ask about, each with the matching permission of gatehouse. `set-phone` and
 * `impersonate-admins` are missing, because nobody can have them.
 */
const clientActions: Readonly<Record<string, Permission>> = {
  'user:create': 'users:create',
  'user:list': 'users:read',
  'user:get': 'users:read',
  'user:update': 'users:update',
  'user:set-email': 'users:update',
  'user:set-role': 'users:set-role',
  'user:ban': 'users:ban',
  'user:impersonate': 'users:impersonate',
  'user:delete': 'users:delete',
  'user:set-password': 'users:set-password',
  'session:list': 'user-sessions:read',
  'session:revoke': 'user-sessions:delete',
  'session:delete': 'user-sessions:delete',
}

const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name)

/**
 * Turns a map from resources to actions into permissions on the instance. The names may be those of Better Auth or those of gatehouse.
 * Undefined if the map is empty, or if nobody can have one of the permissions.
 */
export const permissionsOf = (asked: Readonly<Record<string, readonly string[]>>): readonly Permission[] | undefined => {
  const names = Object.entries(asked).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))
  const known = names.flatMap((name) => {
    const permission = Object.hasOwn(clientActions, name) ? clientActions[name] : isPermission(name) ? name : undefined
    return permission !== undefined && permissions[permission] === 'instance' ? [permission] : []
  })
  return names.length > 0 && known.length === names.length ? known : undefined
}

/** Changes the error for an unknown user into the error code that Better Auth's calls use. */
const asUserNotFound = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? userErrors.error('USER_NOT_FOUND', { status: 404 }) : error
  }
}

const listRoutes = (administration: UserAdministration, { get, require }: Pick<ManagedUsers, 'get' | 'require'>) =>
  bind(userAdministrationContract, {
    adminListUsers: async (_, { query }) => {
      const { users, next, total } = await administration.list(query)
      return { users: [...users], next, total }
    },
    adminGetUser: (_, { params }) => get(params.id),
    adminPatchUser: (principal, { params, body, ifMatch }) => administration.update(principal, params.id, body, ifMatch),
    listUsers: async (_, { query }) => {
      const { users, total } = await listAsBetterAuth({ ...administration, require }, query)
      const { limit, offset } = query
      return { users: [...users], total, ...(limit ? { limit } : {}), ...(offset ? { offset } : {}) }
    },
    getUser: (_, { query }) => asUserNotFound(get(query.id)),
    adminUpdateUser: (principal, { body }) => {
      if (Object.keys(body.data).length === 0) throw userErrors.error('NO_DATA_TO_UPDATE')
      return asUserNotFound(administration.update(principal, body.userId, body.data, anyState))
    },
  })

const linkOf = ({ url, expiresAt }: RecoveryLink) => ({ url, expiresAt })

const actionRoutes = (administration: UserActions, { view }: Pick<ManagedUsers, 'view'>) => {
  const shown = (user: User) => ({ user: view(user) })
  return bind(documented(administrationContract, administrationDocumentation), {
    createUser: async (principal, { body }) => {
      const { user, link } = await administration.create(principal, body)
      return { ...shown(user), ...(link === undefined ? {} : { link: linkOf(link) }) }
    },
    createRecoveryLink: async (principal, { params, body }) =>
      linkOf(await administration.createLink(principal, params.id, body)),
    setRole: async (principal, { body }) => shown(await administration.setRole(principal, body.userId, body.role)),
    setUserPassword: async (principal, { body }) => {
      const { userId, newPassword, onlyIfNone = false } = body
      await administration.setPassword(principal, userId, newPassword, { replaces: !onlyIfNone })
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

export const userAdministrationRoutes = (administration: UserAdministration, managedUsers: ManagedUsers) => [
  ...listRoutes(administration, managedUsers),
  ...actionRoutes(administration, managedUsers),
]
