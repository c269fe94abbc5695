import { can } from '../../access/can.ts'
import { instancePermissions, permissions } from '../../access/permissions.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { bind, documented } from '../../http/handlers.ts'
import { type AccessConfig, accessConfig } from './config.ts'
import { roleContract, roleDocumentation, roleErrors } from './contract.ts'
import { createRoleDirectory, type RoleDirectory } from './service.ts'

/**
 * Lists roles and permissions, and those that the caller has. The answers come from the configuration, the program and the session,
 * without reading the database.
 */
const roleRoutes = (roles: RoleDirectory) =>
  bind(documented(roleContract, roleDocumentation), {
    readAccess: (principal) => {
      const { user, session } = principal
      const { id, name, email, image, role } = user
      const own = instancePermissions.filter((permission) => can(principal, permission))
      return {
        user: { id, name, email, image, role },
        permissions: own,
        lacksSecondFactor: session.lacksSecondFactor,
        impersonatedBy: session.impersonatedBy,
        sessionExpiresAt: session.expiresAt,
        roles: roles.all
          .filter(({ permissions: given }) => given.length > 0)
          // Everybody may see which roles exist. Only people with an instance permission see the permissions of the roles.
          .map(({ name: roleName, permissions: given }) => ({ name: roleName, permissions: own.length > 0 ? [...given] : [] })),
      }
    },
    listInstanceRoles: () => ({
      roles: roles.all.map(({ permissions: given, ...role }) => ({ ...role, permissions: [...given] })),
    }),
    listPermissions: (_principal, { query }) => ({
      permissions: Object.entries(permissions)
        .map(([name, area]) => ({ name, area }))
        .filter(({ area }) => query.area === undefined || area === query.area),
    }),
  })

export type { RoleDirectory }

/** The roles of users on the instance, built-in and configured. */
export const rolesFeature = defineFeature({
  name: 'roles',
  config: { access: accessConfig },
  errors: roleErrors.table,
  build: (_base: Base, { access }: { readonly access: AccessConfig }) => {
    const instanceRoles: RoleDirectory = createRoleDirectory(access.roles)
    return { api: { instanceRoles }, routes: roleRoutes(instanceRoles) }
  },
})
