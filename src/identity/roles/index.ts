import { type Base, defineFeature } from '../../feature.ts'
import { type AccessConfig, accessConfig } from './config.ts'
import { roleErrors } from './errors.ts'
import { roleRoutes } from './routes.ts'
import { createRoleDirectory, type RoleDirectory } from './service.ts'

export type { RoleDirectory }

/** Roles of users on the instance: the built-in ones and those of the configuration. */
export const rolesFeature = defineFeature({
  name: 'roles',
  config: { access: accessConfig },
  errors: roleErrors.table,
  build: (_base: Base, { access }: { readonly access: AccessConfig }) => {
    const instanceRoles: RoleDirectory = createRoleDirectory(access.roles)
    return { api: { instanceRoles }, routes: roleRoutes(instanceRoles) }
  },
})
