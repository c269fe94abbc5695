import { permissions } from '../../access/permissions.ts'
import { bind, documented } from '../../http/handlers.ts'
import { roleContract } from './contract.ts'
import { roleDocumentation } from './documentation.ts'
import type { RoleDirectory } from './service.ts'

/** What can be given to whom. Both lists are those of the configuration and the program: nothing is read from the database. */
export const roleRoutes = (roles: RoleDirectory) =>
  bind(documented(roleContract, roleDocumentation), {
    listInstanceRoles: () => ({
      roles: roles.all.map(({ permissions: given, ...role }) => ({ ...role, permissions: [...given] })),
    }),
    listPermissions: (_principal, { query }) => ({
      permissions: Object.entries(permissions)
        .map(([name, area]) => ({ name, area }))
        .filter(({ area }) => query.area === undefined || area === query.area),
    }),
  })
