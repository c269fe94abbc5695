import { can } from '../../access/can.ts'
import { instancePermissions, permissions } from '../../access/permissions.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { bind, documented } from '../../http/handlers.ts'
import { type AccessConfig, accessConfig } from './config.ts'
import { roleContract, roleDocumentation, roleErrors } from './contract.ts'
import { createRoleDirectory, type RoleDirectory } from './service.ts'

/**
 * The calls that list roles and permissions, and those that the caller has. They do not read the database: configuration, program and
 * session contain all that they return.
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
          // Everybody may see the names of roles. Their permissions are shown only to people who have a permission on the instance.
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

/** Defines the roles of users on the instance: the built-in roles, and those that the configuration adds. */
export const rolesFeature = defineFeature({
  name: 'roles',
  config: { access: accessConfig },
  errors: roleErrors.table,
  build: (_base: Base, { access }: { readonly access: AccessConfig }) => {
    const instanceRoles: RoleDirectory = createRoleDirectory(access.roles)
    return { api: { instanceRoles }, routes: roleRoutes(instanceRoles) }
  },
})
